"""Facts by question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from memory.config import conf
from memory.domain.ranking import facts as ranking
from memory.domain.terms import is_specific
from memory.models import Fact, OwnerKind
from memory.search import candidates, sizes
from memory.search.candidates import Scope
from memory.search.question import Question

NEAREST = 24
HOLDERS = 50  # a word in more facts than these names none of them
RECENT = timedelta(days=30)
SHOWN = """
SELECT id, key, value, quote, said_at, source_audit_id, space_id FROM personal_facts
 WHERE id = ANY (%s::uuid[]) AND profile_id = %s AND state = 'current'"""


@dataclass(frozen=True)
class Found:
    """A fact that the question brings up; `row` holds what is shown of it."""

    row: Fact
    ranked: ranking.Ranked


def search(question: Question, scope: Scope, *, most: int, now: datetime | None = None) -> list[Found]:
    """The facts that the question brings up, best first: current, not expired, of this space or profile-wide."""
    rules = conf().memory.facts_recall
    if most <= 0:
        return []
    near = candidates.nearest(OwnerKind.FACT, question.near, scope, most=NEAREST + most)
    held = candidates.holders(OwnerKind.FACT, question.terms, scope, most=HOLDERS)
    ids = {*near, *(owner for one in held for owner in one.owners)}
    if not ids:
        return []
    recent = (now or datetime.now(UTC)) - RECENT
    ranked = ranking.rank(
        [
            ranking.Term(written, one.df, is_specific(word))
            for word, written, one in zip(question.words, question.written, held, strict=True)
        ],
        [
            ranking.FactCandidate(fact_id, cosine, candidates.places(terms), importance, is_recent)
            for fact_id, cosine, terms, importance, is_recent in candidates.weighed(
                "facts_weighed", question, question.terms, scope, ids, recent=recent
            )
        ],
        facts=sizes.rows(OwnerKind.FACT, scope.profile_id),
        min_score=rules.min_score,
        min_lexical=rules.min_lexical,
    )[:most]
    shown = _shown(ranked, scope)
    return [Found(shown[one.id], replace(one, score=round(one.score, 4))) for one in ranked if one.id in shown]


def _shown(ranked: list[ranking.Ranked], scope: Scope) -> dict[object, Fact]:
    ids = candidates.as_array([str(one.id) for one in ranked])
    return {row.id: row for row in Fact.objects.raw(SHOWN, [ids, scope.profile_id])}
