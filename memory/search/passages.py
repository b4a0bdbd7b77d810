"""Pieces of raw chat by question."""

from __future__ import annotations

import uuid
import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory.domain.ranking import asked as asking
from memory.domain.ranking import passages as ranking
from memory.domain.ranking.around import rarity
from memory.domain.terms import term_ids
from memory.models import OwnerKind, Passage
from memory.search import candidates, passage_rows, speakers
from memory.search.candidates import Scope
from memory.search.question import Question

NEAREST, BY_WORDS = 200, 200  # candidates by meaning and by words


@dataclass(frozen=True)
class Found:
    row: Passage
    score: float
    scores: Mapping[str, float]
    why: str


def search(question: Question, scope: Scope, *, most: int, now: datetime, zone: str = "UTC") -> list[Found]:
    """The passages of this space that answer, best first. They rank freely: no gate keeps one out."""
    day = now.astimezone(zoneinfo.ZoneInfo(zone)).date()
    asked = asking.read(question.text, today=day, speakers=speakers.of(scope.profile_id, scope.space_id))
    terms = term_ids(scope.profile_id, asked.words)
    near = candidates.nearest(OwnerKind.PASSAGE, question.near, scope, most=NEAREST) if question.near else {}
    held = passage_rows.places(terms, scope)
    weights = rarity(held.df, candidates.size(OwnerKind.PASSAGE, scope.profile_id))
    rows = passage_rows.fetch(list(near), held.best(weights, BY_WORDS), scope)
    if not rows:
        return []
    if question.near:
        others = [row.id for row in rows if row.id not in near]
        near |= candidates.cosines(OwnerKind.PASSAGE, question.near, others)
    columns = _columns(rows, near, held, terms, zone)
    scores = ranking.score(asked, columns, weights, held.places)
    chosen = ranking.shortlist(scores, columns, max(most, ranking.SHORTLIST))
    texts = {row.id: row for row in Passage.objects.filter(id__in=[rows[place].id for place in chosen])}
    chosen = np.array([place for place in chosen if rows[place].id in texts], np.int64)
    order, scores = ranking.told(asked, scores, columns, chosen, [texts[rows[n].id].text for n in chosen])
    return [
        Found(texts[rows[n].id], round(float(scores.total[n]), 4), scores.of(n), _why(scores.of(n)))
        for n in order[:most]
    ]


def _columns(
    rows: Sequence[passage_rows.Row],
    cosines: Mapping[uuid.UUID, float],
    held: passage_rows.Held,
    terms: Sequence[int],
    zone: str,
) -> ranking.Candidates:
    here = zoneinfo.ZoneInfo(zone)
    return ranking.Candidates(
        cosine=np.array([cosines.get(row.id, np.nan) for row in rows], np.float32),
        holds=np.array([[term in row.terms for term in terms] for row in rows], np.bool_).reshape(
            len(rows), len(terms)
        ),
        conversation=held.numbers([row.conversation for row in rows]),
        position=np.array([row.position for row in rows], np.int64),
        length=np.array([row.length for row in rows], np.int64),
        by_assistant=np.array([row.role == "assistant" for row in rows], np.bool_),
        speaker=[row.speaker for row in rows],
        day=np.array([row.said_at.astimezone(here).date().toordinal() for row in rows], np.int64),
    )


REASONS = {
    "lexical": "has words of the question",
    "around": "stands among words of the question",
    "speaker": "said by who is asked about",
    "time": "from the time that is asked about",
}


def _why(parts: Mapping[str, float]) -> str:
    reasons = [REASONS[name] for name in REASONS if parts.get(name, 0.0) > 0.05]
    if parts.get("semantic", 0.0) > 0.3:
        reasons.insert(0, "close in meaning to the question")
    return ", ".join(reasons) or "the nearest there is"
