"""What an entity is called now, out of all names that its facts give it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from .entities import By
from .roles import EntityKind

_RANK = {By.VALUE: 0, By.KEY: 1, By.ALIAS: 2}


@dataclass(frozen=True)
class Given:
    """A name (or only a role) that one fact gives. `holds`: the fact holds now; `waits`: it waits for review."""

    name: str
    by: By
    role: str
    said_at: datetime
    holds: bool
    waits: bool = False


@dataclass(frozen=True)
class Title:
    """The name to show, and what else it goes by: other spellings, former names, what it is to the person."""

    name: str
    aliases: tuple[str, ...]


def title(kind: EntityKind, given: Iterable[Given]) -> Title:
    """The last name that holds; else the last that did. Without any, "Dog" or "Person"."""
    rows = sorted(given, key=_order)
    roles = list(dict.fromkeys(row.role.replace("_", " ") for row in rows if row.role and row.holds))
    names = [row.name for row in rows if row.name]
    name = names[0] if names else (roles[0] if roles else kind.value).capitalize()
    seen = {name.casefold()}
    aliases = []
    for other in [*names, *(role for role in roles if role != kind.value)]:
        if other.casefold() not in seen:
            seen.add(other.casefold())
            aliases.append(other)
    return Title(name, tuple(aliases))


def _order(row: Given) -> tuple[int, int, float]:
    standing = 0 if row.holds else 2 if row.waits else 1
    return (standing, _RANK.get(row.by, 3), -row.said_at.timestamp())
