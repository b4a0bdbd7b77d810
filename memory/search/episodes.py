"""Past conversations by question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memory.config import conf
from memory.domain.ranking import episodes as ranking
from memory.domain.ranking.facts import Term
from memory.domain.terms import is_specific
from memory.models import EpisodeSummary, OwnerKind
from memory.search import candidates, sizes
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
    near = candidates.nearest(OwnerKind.EPISODE, question.near, scope, most=NEAREST)
    held = candidates.holders(OwnerKind.EPISODE, question.terms, scope, most=HOLDERS)
    ids = {*near, *(owner for one in held for owner in one.owners)}
    if not ids:
        return []
    ranked = ranking.rank(
        [
            Term(written, one.df, is_specific(word))
            for word, written, one in zip(question.words, question.written, held, strict=True)
        ],
        [
            ranking.EpisodeCandidate(episode_id, cosine, candidates.places(terms), age / SECONDS_PER_DAY, recalls)
            for episode_id, cosine, terms, age, recalls in candidates.weighed(
                "episodes_weighed", question, question.terms, scope, ids, now=now
            )
        ],
        episodes=sizes.rows(OwnerKind.EPISODE, scope.profile_id),
        halflife_days=rules.halflife_days,
        recall_weight_scale=rules.recall_weight_scale,
        threshold=rules.similarity_threshold,
        min_lexical=conf().memory.facts_recall.min_lexical,
    )[:most]
    shown = EpisodeSummary.objects.select_related("conversation").filter(
        profile_id=scope.profile_id, id__in=[one.id for one in ranked]
    )
    by_id = {row.id: row for row in shown}
    return [Found(by_id[one.id], replace(one, score=round(one.score, 4))) for one in ranked if one.id in by_id]
