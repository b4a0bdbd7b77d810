"""Past conversations by question."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memory.config import conf
from memory.domain.ranking import episodes as ranking
from memory.domain.ranking.facts import RARE_MOST, RARE_SHARE, Term, coverage
from memory.domain.terms import is_specific
from memory.models import EpisodeSummary, OwnerKind
from memory.search import candidates
from memory.search.candidates import Scope
from memory.search.question import Question

NEAREST = 60
HOLDERS = 50
SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True)
class Found:
    row: EpisodeSummary
    ranked: ranking.RankedEpisode


def search(question: Question, scope: Scope, *, most: int, now: datetime) -> list[Found]:
    """The conversations of this space that fit the question, best first; none older than the settings allow."""
    rules = conf().memory.episodes_recall
    if most <= 0:
        return []
    scope = replace(scope, since=max(scope.since, now - timedelta(days=rules.max_age_days)))
    near = question.near
    cosines = candidates.nearest(OwnerKind.EPISODE, near, scope, most=NEAREST) if near else {}
    words = {} if near else _by_words(question, scope)
    similar = cosines or words
    rows = EpisodeSummary.objects.select_related("conversation").filter(
        profile_id=scope.profile_id, space_id=scope.space_id, id__in=list(similar)
    )
    by_id = {row.id: row for row in rows}
    ranked = ranking.rank(
        [
            ranking.EpisodeCandidate(
                row.id,
                similar[row.id],
                (now - row.said_at).total_seconds() / SECONDS_PER_DAY,
                row.recall_count,
                by_words=not near,
            )
            for row in by_id.values()
        ],
        halflife_days=rules.halflife_days,
        recall_weight_scale=rules.recall_weight_scale,
        threshold=rules.similarity_threshold,
    )
    return [Found(by_id[one.id], replace(one, score=round(one.score, 4))) for one in ranked[:most]]


def _by_words(question: Question, scope: Scope) -> dict[uuid.UUID, float]:
    """Where nobody could embed the question: those that hold something specific in it, by how much of it they hold."""
    held = candidates.holders(OwnerKind.EPISODE, question.terms, scope, most=HOLDERS)
    count = candidates.size(OwnerKind.EPISODE, scope.profile_id)
    terms = [Term(word, one.df, is_specific(word)) for word, one in zip(question.words, held, strict=True)]
    rarity = max(1, min(RARE_MOST, count // RARE_SHARE))
    anchoring = {n for n, term in enumerate(terms) if term.specific or 0 < term.df <= rarity}
    hits: dict[uuid.UUID, set[int]] = {}
    for n, one in enumerate(held):
        for owner in one.owners:
            hits.setdefault(owner, set()).add(n)
    return {
        owner: coverage(terms, frozenset(mine), anchoring, count)
        for owner, mine in hits.items()
        if not anchoring.isdisjoint(mine)
    }
