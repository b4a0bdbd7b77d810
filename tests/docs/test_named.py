"""What is named in passing is there: settings, commands with their arguments, routes, refusals."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import get_commands
from django.core.management.base import CommandError
from drf_spectacular.generators import SchemaGenerator

from caesar.config import SECRETS
from caesar.envfile import fields
from caesar.reference import commands
from memory.documents.refusing import STATUS
from tests.docs import reading
from tests.processes import ROOT

SETTING = re.compile(r"\bCAESAR_[A-Z_]+[A-Z]\b")
ROUTE = re.compile(r"\b(GET|POST|PATCH|DELETE) (/v1/[\w/{}-]*)")
VERB = re.compile(r"^(?:python3? )?manage\.py ([a-z_]+)(.*)$")
# Debian, Ubuntu and macOS have no `python` outside of a virtual environment; a container has.
BARE_PYTHON = re.compile(r"(?<![\w./])python (?=manage\.py|-)")
# What is no command line but a way to speak of some: alternatives, what may be left out, and so on.
NOT_TYPED = re.compile(r"[|\[…<]")
OURS = [path for path in reading.documents() if path.parent.name != "reference"]


def names(path: Path) -> str:
    return str(path.relative_to(ROOT))


def settings_that_are() -> set[str]:
    """Of the product, of the Compose file, of the units, and what only says which file of settings is read."""
    known = {name for name, _ in fields()} | {f"{name}_FILE" for name in SECRETS}
    more = [ROOT / "docker-compose.yml", *(ROOT / "deploy" / "systemd").iterdir()]
    return known | {name for path in more for name in SETTING.findall(path.read_text())} | {"CAESAR_ENV_FILE"}


@pytest.mark.parametrize("document", reading.documents(), ids=names)
def test_every_setting_is_one(document):
    known = settings_that_are()
    named = set(SETTING.findall(document.read_text()))
    assert {name for name in named if not any(one == name or one.startswith(f"{name}__") for one in known)} == set()


@pytest.mark.parametrize("document", OURS, ids=names)
def test_every_command_can_be_typed_so(document):
    wrong = [each for each in reading.inline_code(document) if (m := VERB.match(each)) and not typed(m[1], m[2])]
    targets = {name for name, _ in commands.targets()} | {"help"}
    made = [each.split()[-1] for each in reading.inline_code(document) if re.fullmatch(r"(\S+ )?make [a-z]+", each)]
    assert wrong + [name for name in made if name not in targets] == []


@pytest.mark.parametrize("document", reading.documents(), ids=names)
def test_python_is_named_as_every_system_knows_it(document):
    lines = [line for line in document.read_text().splitlines() if BARE_PYTHON.search(line)]
    assert [line for line in lines if "docker compose " not in line] == []


def typed(verb: str, rest: str) -> bool:
    """Whether a verb takes these arguments."""
    where = get_commands().get(verb)
    if where != "caesar" or not rest.strip() or NOT_TYPED.search(rest):
        return where is not None
    try:
        commands.parser_of(verb).parse_args(shlex.split(rest))
    except (CommandError, SystemExit):
        return False
    return True


@pytest.fixture(scope="module")
def served():
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    return {(method.upper(), re.sub(r"{\w+}", "{}", path)) for path, item in paths.items() for method in item}


@pytest.mark.parametrize("document", OURS, ids=names)
def test_every_route_is_served(document, served):
    named = {(method, re.sub(r"{\w+}", "{}", path)) for method, path in ROUTE.findall(document.read_text())}
    assert named - served == set()


def test_every_refusal_of_a_document_is_named_with_its_status():
    guide = (ROOT / "docs" / "how-to" / "documents.md").read_text()
    rows = re.findall(r"^\| (`document_.+?) \| (\d+) \|", guide, re.MULTILINE)
    named = {code: int(status) for codes, status in rows for code in re.findall(r"`document_(\w+)`", codes)}
    assert named == STATUS
