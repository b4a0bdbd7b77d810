"""Markdown as the reference writes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MADE = "<!-- Made from the code by `make reference`; do not edit. -->"


def page(title: str, about: str, parts: Iterable[str]) -> str:
    """A page with its title, what it is about, and its parts, an empty line between each."""
    return "\n\n".join([MADE, f"# {title}", about, *parts]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; what would end a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines)


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """Words of a program; nothing where there are none."""
    return f"`{text}`" if text else ""


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    text = " ".join(text.split())
    return text and text[0].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
