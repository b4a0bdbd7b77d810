"""Everything that a document leads to is there, and everything leads to a document."""

import pytest

from tests.docs import reading
from tests.processes import ROOT

RUN = {"sh", "python"}
LOOKED_AT = {"ini", "json", "sql"}
NOT_COMMANDS = {"text", "caddyfile", "nginx", "acl"}


@pytest.mark.parametrize("document", reading.documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document):
    broken = []
    for link in reading.links(document):
        path, _, anchor = link.partition("#")
        if "://" in path:
            continue
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in reading.anchors(target)):
            broken.append(link)
    assert broken == []


def test_the_index_leads_to_every_document():
    index = ROOT / "docs" / "README.md"
    led_to = {(index.parent / link.partition("#")[0]).resolve() for link in reading.links(index)}
    assert set(reading.documents()) - led_to - {index, ROOT / "README.md"} == set()


def test_every_picture_is_shown_somewhere():
    shown = {(d.parent / link).resolve() for d in reading.documents() for link in reading.links(d)}
    assert set((ROOT / "docs" / "images").iterdir()) - shown == set()


def test_what_is_in_a_block_is_known_by_its_language():
    """Commands are `sh`: by no other name would they go by without being run."""
    known = RUN | LOOKED_AT | NOT_COMMANDS
    assert [b.name for d in reading.documents() for b in reading.blocks(d) if b.language not in known] == []
