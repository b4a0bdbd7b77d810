"""What every set of dialogues comes down to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Turn:
    """One message. `session`: the conversation it belongs to; `speaker`: "" where the role says all there is."""

    id: str
    session: str
    role: str
    text: str
    at: datetime
    speaker: str = ""


@dataclass(frozen=True)
class Query:
    """A question and the turns that answer it; `evidence` differs with the `corrections` that somebody published."""

    text: str
    category: str
    evidence: frozenset[str]
    corrected: frozenset[str]


@dataclass(frozen=True)
class Learned:
    """A fact and the turn that taught it."""

    text: str
    turn: str


@dataclass(frozen=True)
class History:
    """All that one person said, what somebody learned from it, and what is asked of it after the last turn."""

    name: str
    turns: tuple[Turn, ...]
    queries: tuple[Query, ...]
    asked_at: datetime
    learned: tuple[Learned, ...] = ()


def read(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def leaves(value: Any) -> Iterator[Any]:
    """What stands at the bottom of nested lists and objects, None left out."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from leaves(one)
    elif value is not None:
        yield value
