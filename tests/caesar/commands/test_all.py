"""What holds for every verb of manage.py: help that helps, exit codes, one JSON document."""

from __future__ import annotations

import argparse
import io
import json
import pkgutil
import shlex
from collections.abc import Iterator

import pytest
from django.core.management import load_command_class

from caesar.management import commands
from caesar.management.command import Verb
from memory import apikeys, facts
from tests.caesar.commands.conftest import run
from tests.people import person

NAMES = sorted(module.name for module in pkgutil.iter_modules(commands.__path__))
OURS = [name for name in NAMES if name != "migrate"]
# What prints JSON, as it is called here; {…} is filled in below.
JSON = [
    "apikey create",
    "apikey list",
    "apikey revoke {key}",
    "doctor",
    "export --output {tmp}/x.jsonl",
    "facts list",
    "facts list --deleted",
    "facts show {fact}",
    "facts add Moss --key cat.name",
    "facts edit {fact} --importance 0.9",
    "facts delete {fact}",
    "facts conflicts",
    "forget --list",
    "forget --user anna --profile default --yes",
    "import {tmp}/facts.json --dry-run",
    "ingest {tmp}/note.txt",
    "login_link",
    "prepare",
    "profile list",
    "profile show",
    "profile set --memory on",
    "reembed --status",
    "reprocess --episodes",
    "requeue --all",
    "status",
    "sweep --dry-run",
    "sweep --apply",
    "work --once",
]
ELSEWHERE = {
    "chat",  # test_chat.py: it takes a server
    "backup",  # tests/backup: they take a database of their own
    "restore",
}
NO_DATA = {"demo", "init", "mcp", "migrate", "up"}


def parsers(name: str) -> Iterator[argparse.ArgumentParser]:
    """Of a command and its verbs."""
    parser = load_command_class("caesar", name).create_parser("manage.py", name)
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


@pytest.mark.parametrize("name", NAMES)
def test_its_help_tells_every_option(name):
    for parser in parsers(name):
        said = parser.format_help()
        assert parser.description, parser.prog
        for action in parser._actions:
            if action.help == argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
                continue
            assert action.help, f"{parser.prog}: {action.dest}"
            assert all(option in said for option in action.option_strings)
    assert load_command_class("caesar", name).help


@pytest.mark.parametrize("name", OURS)
def test_its_examples_are_such_as_it_takes(name):
    command = load_command_class("caesar", name)
    assert isinstance(command, Verb)
    assert command.examples or name == "mcp"
    shown = "\n".join(parser.format_help() for parser in parsers(name))
    told = [line.strip() for line in shown.splitlines() if line.strip().startswith("python3 manage.py ")]
    assert len(told) >= len(command.examples)
    for line in told:
        words = shlex.split(line.partition(" < ")[0])[2:]
        assert words[0] == name
        command.create_parser("manage.py", name).parse_args(words[1:])  # CommandError where it is not taken


@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_there_is_not_is_wrong_use(name, capsys):
    with pytest.raises(SystemExit) as ended:
        load_command_class("caesar", name).run_from_argv(["manage.py", name, "--no-such-option"])
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert (told.out, "--no-such-option" in told.err or "required" in told.err) == ("", True)


def test_everything_that_prints_data_prints_it_as_json():
    tried = {line.split()[0] for line in JSON}
    assert tried | ELSEWHERE | NO_DATA == set(NAMES)
    for name in NAMES:
        takes = any("--json" in action.option_strings for parser in parsers(name) for action in parser._actions)
        assert takes is (name not in NO_DATA), name


@pytest.fixture
def there(operator, settings, tmp_path):
    """A fact, a key, somebody else, files to be read, and a home that may be written to."""
    settings.CAESAR = settings.CAESAR.model_copy(update={"home": tmp_path / "home"})
    from memory import operations

    me = operations.profile_named(user_id=operator, name=None)
    person("anna")
    fact = facts.author(profile_id=me.id, fields={"key": "dog.name", "value": "Beans"})
    key, _ = apikeys.create(user_id=operator, name="old", profile_id=None)
    (tmp_path / "note.txt").write_text("I was born in Graz.")
    (tmp_path / "facts.json").write_text(json.dumps([{"key": "tea", "value": "green"}]))
    return {"fact": str(fact.id), "key": str(key.id), "tmp": str(tmp_path)}


@pytest.mark.parametrize("line", JSON)
def test_its_json_is_one_document_and_all_that_it_prints(line, there, capsys):
    ran = run(*shlex.split(line.format(**there)), "--json")
    assert ran.json is not None
    assert ran.code == (1 if line in ("status", "doctor") else 0)  # nobody works here
    assert capsys.readouterr().out == ""


def test_json_is_readable_where_the_terminal_knows_few_letters(there, monkeypatch):
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    ran = run("facts", "add", "Grüße 你好 🐕", "--json")
    assert ran.out.isascii()
    assert ran.json["value"] == "Grüße 你好 🐕"
