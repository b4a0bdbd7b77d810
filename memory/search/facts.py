"""Facts by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memory import selectors
from memory.config import conf
from memory.domain.ranking import facts as ranking
from memory.domain.terms import is_specific
from memory.models import Fact, OwnerKind
from memory.search import candidates
from memory.search.candidates import Scope
from memory.search.question import Question

NEAREST = 40
COUNT_TO, HOLDERS = 300, 50  # a word in more facts than these names none of them
RECENT = timedelta(days=30)
COLUMNS = (
    "key",
    "value",
    "terms",
    "importance",
    "said_at",
    "last_used_at",
    "last_confirmed_at",
    "source_audit_id",
    "quote",
    "space_id",
)


@dataclass(frozen=True)
class Found:
    """A fact that the question brings up. `row.score` is what it is worth without any question."""

    row: Any
    ranked: ranking.Ranked


def search(question: Question, scope: Scope, *, most: int, now: datetime | None = None) -> list[Found]:
    """The facts that the question brings up, best first: current, not expired, of this space or profile-wide."""
    rules = conf().memory.facts_recall
    if most <= 0:
        return []
    near = question.near
    by_meaning = candidates.nearest(OwnerKind.FACT, near, scope, most=NEAREST + most) if near else {}
    held = candidates.holders(OwnerKind.FACT, question.terms, scope, count_to=COUNT_TO, most=HOLDERS)
    named = {owner for one in held for owner in one.owners} - by_meaning.keys()
    if near and named:
        by_meaning |= candidates.cosines(OwnerKind.FACT, near, sorted(named))
    ids = by_meaning.keys() | named
    if not ids:
        return []
    rows = _rows(scope, list(ids))
    terms = [ranking.Term(word, one.df, is_specific(word)) for word, one in zip(question.words, held, strict=True)]
    ranked = ranking.rank(
        terms,
        [_candidate(row, question, by_meaning, now or datetime.now(UTC)) for row in rows.values()],
        facts=candidates.size(OwnerKind.FACT, scope.profile_id),
        min_score=rules.min_score,
        min_lexical=rules.min_lexical,
    )
    return [Found(rows[one.id], replace(one, score=round(one.score, 4))) for one in ranked[:most]]


def _rows(scope: Scope, ids: Sequence[Any]) -> dict[Any, Any]:
    held = selectors.facts_held(profile_id=scope.profile_id, space_id=scope.space_id).filter(id__in=ids)
    return {row.id: row for row in selectors.with_score(held).only(*COLUMNS)}


def _candidate(row: Fact, question: Question, cosines: dict[Any, float], now: datetime) -> ranking.FactCandidate:
    terms = set(row.terms)
    touched = max(row.last_confirmed_at, row.last_used_at or row.last_confirmed_at)
    return ranking.FactCandidate(
        id=row.id,
        semantic=cosines.get(row.id),
        hits=frozenset(n for n, term in enumerate(question.terms) if term in terms),
        importance=row.importance,
        recent=now - touched <= RECENT,
    )
