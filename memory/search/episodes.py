"""Past conversations by question."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memory.config import conf
from memory.domain.ranking import episodes as ranking
from memory.domain.ranking.facts import Term
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
    held = candidates.holders(OwnerKind.EPISODE, question.terms, scope, most=HOLDERS)
    named = {owner for one in held for owner in one.owners} - cosines.keys()
    if near and named:
        cosines |= candidates.cosines(OwnerKind.EPISODE, near, sorted(named))
    rows = EpisodeSummary.objects.select_related("conversation").filter(
        profile_id=scope.profile_id, space_id=scope.space_id, id__in=cosines.keys() | named
    )
    by_id = {row.id: row for row in rows}
    ranked = ranking.rank(
        [Term(word, one.df, is_specific(word)) for word, one in zip(question.words, held, strict=True)],
        [_candidate(row, question, cosines, now) for row in by_id.values()],
        episodes=candidates.size(OwnerKind.EPISODE, scope.profile_id),
        halflife_days=rules.halflife_days,
        recall_weight_scale=rules.recall_weight_scale,
        threshold=rules.similarity_threshold,
        min_lexical=conf().memory.facts_recall.min_lexical,
    )
    return [Found(by_id[one.id], replace(one, score=round(one.score, 4))) for one in ranked[:most]]


def _candidate(
    row: EpisodeSummary, question: Question, cosines: Mapping[uuid.UUID, float], now: datetime
) -> ranking.EpisodeCandidate:
    terms = set(row.terms)
    return ranking.EpisodeCandidate(
        row.id,
        cosines.get(row.id),
        frozenset(n for n, term in enumerate(question.terms) if term in terms),
        (now - row.said_at).total_seconds() / SECONDS_PER_DAY,
        row.recall_count,
    )
