"""docs/reference/commands.md: every target of the Makefile and every verb of manage.py, from their parsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from django.core.management import get_commands, load_command_class
from django.core.management.base import DjangoHelpFormatter

from caesar.config import ROOT
from caesar.reference import markdown as md

ABOUT = """\
`make TARGET` sets up what is missing first; `python3 manage.py VERB` is for an installation that is set up. Each verb
has `--help`. Exit code 0: done; 1: it did not work, and one sentence says why; 2: it was not asked for rightly.

A verb works on the installation in `CAESAR_HOME`. Where it is about a person, `--profile NAME` says whose memory it is
and `--user` whose profile that is; without them it is the default profile of the operator."""
TARGET = re.compile(r"^([a-z-]+):.*## (.*)$", re.MULTILINE)
# What every Django command takes.
COMMON = set(DjangoHelpFormatter.show_last)


def page() -> str:
    made = md.table(("target", "does"), [(md.code(f"make {name}"), md.sentence(does)) for name, does in targets()])
    return md.page("Commands", ABOUT, [f"## make\n\n{made}", "## manage.py", *map(_verb, verbs())])


def targets() -> list[tuple[str, str]]:
    """Every target of the Makefile that is meant for people, with what it does."""
    return TARGET.findall((ROOT / "Makefile").read_text(encoding="utf-8"))


def verbs() -> list[str]:
    """The commands of this product (and `migrate`, which it extends)."""
    return sorted(name for name, where in get_commands().items() if where == "caesar")


def parser_of(verb: str) -> argparse.ArgumentParser:
    return load_command_class("caesar", verb).create_parser("manage.py", verb)


def _verb(verb: str) -> str:
    parser = parser_of(verb)
    parts = [f"### {verb}", md.sentence(parser.description or ""), *_arguments(parser)]
    return "\n\n".join(part for part in parts if part)


def _arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    rows = [_row(each) for each in own_actions(parser)]
    if rows:
        yield md.table(("argument", "what it says"), rows)
    for each in parser._actions:
        if isinstance(each, argparse._SubParsersAction):
            about = {choice.dest: choice.help or "" for choice in each._choices_actions}
            for name, child in each.choices.items():
                yield f"`{parser.prog.split()[-1]} {name}`: {md.sentence(about.get(name, ''))}"
                yield from _arguments(child)


def own_actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Arguments that are not those of every command."""
    plain = [each for each in parser._actions if not isinstance(each, argparse._SubParsersAction)]
    return [each for each in plain if not COMMON & set(each.option_strings) and "--help" not in each.option_strings]


def _row(action: argparse.Action) -> tuple[str, str]:
    value = _value(action)
    names = ", ".join(f"{name} {value}".strip() for name in action.option_strings) or value
    return md.code(names), md.sentence((action.help or "") % vars(action) if action.help else "")


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.choices is not None:
        return "|".join(map(str, action.choices))
    name = str(action.metavar or action.dest.upper())
    some = {"+": f"{name} …", "*": f"[{name} …]", "?": f"[{name}]"}
    return some.get(str(action.nargs), name)
