"""docs/security.md and docs/deploy.md name what is there."""

from __future__ import annotations

import re

import pytest

from caesar import envfile
from caesar.config import ROOT

DOCUMENTS = [ROOT / "docs" / "security.md", ROOT / "docs" / "deploy.md"]
PATH = re.compile(r"`((?:caesar|memory|workers|dashboard|tests|deploy|docs)/[\w./-]*\w/?|docker-compose\.yml)`")
LINK = re.compile(r"\]\(([^)#:]+)\)")
COMMAND = re.compile(r"manage\.py ([a-z_]+)")
MADE_LATER = {"deploy/secrets", "deploy/secrets/api-key", "deploy/secrets/grafana-password"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_it_names_is_there(document) -> None:
    text = document.read_text()
    named = set(PATH.findall(text)) - MADE_LATER
    assert named
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
    assert sorted(link for link in LINK.findall(text) if not (document.parent / link).exists()) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_and_setting_is_one(document) -> None:
    from django.core.management import get_commands

    text = document.read_text()
    assert set(COMMAND.findall(text)) <= set(get_commands())
    settings = {name for name, _ in envfile.fields()} | {"CAESAR_SITE", "CAESAR_QUEUES"}
    assert set(re.findall(r"\bCAESAR_[A-Z_]+[A-Z]\b", text)) <= settings


def test_every_chapter_of_the_standard_is_walked_through() -> None:
    headings = re.findall(r"^### (.*)$", DOCUMENTS[0].read_text(), re.MULTILINE)
    chapters = {int(number) for heading in headings for number in re.findall(r"V(\d+)", heading)}
    assert chapters == set(range(1, 18))
