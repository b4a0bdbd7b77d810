"""Pieces of raw chat by question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.models import OwnerKind, Passage
from memory.search import candidates
from memory.search.candidates import Scope
from memory.search.question import Question


@dataclass(frozen=True)
class Found:
    row: Passage
    score: float
    scores: Mapping[str, float]
    why: str


def search(question: Question, scope: Scope, *, most: int, now: datetime) -> list[Found]:
    """The passages of this space that answer, best first. They rank freely: no gate keeps one out."""
    near = question.near
    cosines = candidates.nearest(OwnerKind.PASSAGE, near, scope, most=most) if near else {}
    rows = Passage.objects.filter(id__in=list(cosines))
    found = [Found(row, cosines[row.id], {"semantic": cosines[row.id]}, "close in meaning") for row in rows]
    return sorted(found, key=lambda one: -one.score)[:most]
