"""Pieces of raw chat by question."""

from __future__ import annotations

import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory.domain.ranking import asked as asking
from memory.domain.ranking import passages as ranking
from memory.domain.ranking.around import Ints, rarity
from memory.domain.terms import term_ids
from memory.models import OwnerKind, Passage
from memory.search import candidates, passage_rows, sizes, speakers, taught
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
    near = candidates.nearest(OwnerKind.PASSAGE, question.near, scope, most=NEAREST)
    held = passage_rows.places(terms, scope)
    weights = rarity(held.df, sizes.rows(OwnerKind.PASSAGE, scope.profile_id))
    keys = taught.by_facts(question, scope)
    rows = passage_rows.fetch(question, terms, [*near, *keys], held.best(weights, BY_WORDS), scope)
    if not rows.id:
        return []
    columns = _columns(rows, held, keys, len(terms), zone if asked.periods else None)
    scores = ranking.score(asked, columns, weights, held.places)
    chosen = ranking.shortlist(scores, columns, max(most, ranking.SHORTLIST))
    texts = passage_rows.texts([rows.id[n] for n in chosen])
    chosen = np.array([n for n in chosen if rows.id[n] in texts], np.int64)
    order, scores = ranking.told(asked, scores, columns, chosen, [texts[rows.id[n]] for n in chosen])
    best = [int(n) for n in order[:most]]
    shown = passage_rows.shown([rows.id[n] for n in best])
    return [
        Found(shown[rows.id[n]], round(float(scores.total[n]), 4), scores.of(n), _why(scores.of(n)))
        for n in best
        if rows.id[n] in shown
    ]


def _columns(
    rows: passage_rows.Rows, held: passage_rows.Held, facts: Mapping[str, float], terms: int, zone: str | None
) -> ranking.Candidates:
    """zone: where the person lives; None where no day is asked about."""
    bits = np.array(rows.terms, np.int64)[:, None] >> np.arange(terms)
    return ranking.Candidates(
        cosine=np.array(rows.cosine, np.float32),
        holds=(bits & 1).astype(np.bool_),
        conversation=held.numbers(rows.conversation),
        position=np.array(rows.position, np.int64),
        length=np.array(rows.length, np.int64),
        by_assistant=np.array(rows.by_assistant, np.bool_),
        speaker=rows.speaker,
        day=_days(rows.said_at, zone) if zone else np.zeros(len(rows.id), np.int64),
        fact=np.array([facts.get(one, np.nan) for one in rows.id], np.float32),
    )


def _days(said_at: Sequence[float], zone: str) -> Ints:
    here = zoneinfo.ZoneInfo(zone)
    return np.array([datetime.fromtimestamp(at, here).toordinal() for at in said_at], np.int64)


REASONS = {
    "fact": "taught a fact that is close to the question",
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
