"""docs/reference/settings.md: every setting, from the classes that validate them."""

from __future__ import annotations

import typing
from pathlib import Path
from types import UnionType
from typing import Any, Literal

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from caesar.config import PREFIX, SECRETS
from caesar.envfile import default_of, fields
from caesar.reference import markdown as md

ABOUT = """\
Settings are environment variables, or lines of a file `.env` beside `manage.py` (`CAESAR_ENV_FILE` names another one);
the environment wins. Everything may stay as it is. A wrong value stops the start with a sentence that says what to do.
A setting that is marked *secret* may instead be given as `<NAME>_FILE`, the path of a file that holds it.
`.env.example` has the same list, to be copied."""
# Where a section of settings begins, and what it is about.
SECTIONS = {
    "": "Installation",
    "DASHBOARD": "Dashboard",
    "LLM": "Models",
    "SEMANTIC": "Embeddings",
    "MEMORY": "Memory",
}
BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def page() -> str:
    parts = []
    for section, title in SECTIONS.items():
        rows = [_row(name, field) for name, field in fields() if _section(name) == section]
        parts.append(f"## {title}\n\n" + md.table(("name", "type", "default", "what it does"), rows))
    return md.page("Settings", ABOUT, parts)


def _section(name: str) -> str:
    head, *rest = name.removeprefix(PREFIX).split("__")
    return head if rest else ""


def _row(name: str, field: FieldInfo) -> tuple[str, str, str, str]:
    kind = kind_of(field.annotation) + ("" if name not in SECRETS else ", *secret*") + _bounds(field)
    return md.code(name), kind, md.code(default_of(field)), field.description or ""


def _bounds(field: FieldInfo) -> str:
    found = [
        f"{words} {getattr(each, name):,}"
        for each in field.metadata
        for name, words in BOUNDS.items()
        if getattr(each, name, None) is not None
    ]
    return "".join(f", {each}" for each in found)


def kind_of(annotation: Any) -> str:
    """A type in the words of somebody who writes the value down."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return " or ".join(md.code(str(value)) for value in arguments)
    if origin in (typing.Union, UnionType):
        return kind_of(next(each for each in arguments if each is not type(None)))
    if origin is dict:
        return "JSON object"
    names = {bool: "`true` or `false`", int: "integer", float: "number", Path: "path", str: "text", SecretStr: "text"}
    return names[annotation]
