"""docs/reference is what the code says now, and says something of everything."""

import re

import pytest

from caesar import envfile
from caesar.config import ROOT
from caesar.reference import commands, events, metrics, pages
from memory.models import Event

FOLDER = ROOT / "docs" / "reference"


@pytest.fixture(scope="module")
def made():
    return pages.all_pages()


def test_every_page_is_as_the_code_makes_it_now(made):
    assert sorted(made) == sorted(path.name for path in FOLDER.glob("*.md"))
    stale = [name for name, text in made.items() if (FOLDER / name).read_text() != text]
    assert stale == [], "`make reference` brings these up to date"
    assert (ROOT / ".env.example").read_text() == envfile.text(), "`make reference` brings it up to date"


def test_every_setting_is_there_with_a_sentence(made):
    assert [name for name, _ in envfile.fields() if f"| `{name}` |" not in made["settings.md"]] == []
    assert [name for name, field in envfile.fields() if not field.description] == []


def test_every_metric_that_is_served_is_there_with_a_sentence():
    rows = [*metrics.counted_rows(), *metrics.database_rows()]
    assert [name for name, _, _, about in rows if not about] == []


def test_every_command_and_argument_has_a_sentence():
    parsers = {verb: commands.parser_of(verb) for verb in commands.verbs()}
    silent = [verb for verb, parser in parsers.items() if not parser.description]
    silent += [f"{verb} {a.dest}" for verb, p in parsers.items() for a in commands.own_actions(p) if not a.help]
    assert silent == []


def test_every_type_of_event_is_told_with_its_fields():
    assert set(events.told()) == set(Event)
    silent = [event for event, told in events.told().items() if not told.when]
    assert silent + [e for e, told in events.told().items() if not all(told.payload.values())] == []


def test_every_route_is_in_a_group(made):
    from drf_spectacular.generators import SchemaGenerator

    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    headings = {f"### {method.upper()} {path}" for path, item in paths.items() for method in item}
    assert headings <= set(made["api.md"].splitlines())


def test_every_status_that_a_route_may_answer_with_is_told(made):
    listed = {status for each in re.findall(r"Errors: ([\d, ]+)\.", made["api.md"]) for status in each.split(", ")}
    assert listed - set(re.findall(r"^\| (\d+) \|", made["api.md"], re.MULTILINE)) == set()
