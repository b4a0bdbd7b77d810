"""Facts by question."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from memory import selectors
from memory.config import conf
from memory.domain.ranking import facts as ranking
from memory.domain.terms import is_specific
from memory.models import Fact, OwnerKind
from memory.search import candidates
from memory.search.candidates import Scope
from memory.search.question import Question

NEAREST = 24
HOLDERS = 50  # a word in more facts than these names none of them
RECENT = timedelta(days=30)
WEIGHED = ("id", "terms", "importance", "last_used_at", "last_confirmed_at")
SHOWN = ("key", "value", "quote", "said_at", "source_audit_id", "space_id")


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
    held = candidates.holders(OwnerKind.FACT, question.terms, scope, most=HOLDERS)
    named = {owner for one in held for owner in one.owners} - by_meaning.keys()
    if near and named:
        by_meaning |= candidates.cosines(OwnerKind.FACT, near, sorted(named))
    ids = by_meaning.keys() | named
    if not ids:
        return []
    in_scope = selectors.facts_held(profile_id=scope.profile_id, space_id=scope.space_id)
    ranked = ranking.rank(
        [ranking.Term(word, one.df, is_specific(word)) for word, one in zip(question.words, held, strict=True)],
        _candidates(in_scope.filter(id__in=ids), question, by_meaning, now or datetime.now(UTC)),
        facts=candidates.size(OwnerKind.FACT, scope.profile_id),
        min_score=rules.min_score,
        min_lexical=rules.min_lexical,
    )[:most]
    rows = selectors.with_score(in_scope.filter(id__in=[one.id for one in ranked])).only(*SHOWN)
    shown = {row.id: row for row in rows}
    return [Found(shown[one.id], replace(one, score=round(one.score, 4))) for one in ranked if one.id in shown]


def _candidates(
    facts: QuerySet[Fact], question: Question, cosines: dict[uuid.UUID, float], now: datetime
) -> list[ranking.FactCandidate]:
    places = {term: n for n, term in enumerate(question.terms)}
    found = []
    for fact_id, terms, importance, used_at, confirmed_at in facts.values_list(*WEIGHED):
        hits = frozenset(places[term] for term in terms if term in places)
        recent = now - max(confirmed_at, used_at or confirmed_at) <= RECENT
        found.append(ranking.FactCandidate(fact_id, cosines.get(fact_id), hits, importance, recent))
    return found
