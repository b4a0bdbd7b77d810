"""Which past conversations fit a chat."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class EpisodeCandidate:
    """A summary that may fit. `similarity`: cosine to the question; by words where there is no vector.

    `age_days` counts from the last turn of the conversation.
    """

    id: uuid.UUID
    similarity: float
    age_days: float
    recall_count: int
    by_words: bool = False


@dataclass(frozen=True)
class RankedEpisode:
    id: uuid.UUID
    score: float
    scores: dict[str, float] = field(default_factory=dict)
    why: str = ""


def rank(
    candidates: Sequence[EpisodeCandidate],
    *,
    halflife_days: float,
    recall_weight_scale: float,
    threshold: float,
) -> list[RankedEpisode]:
    """Those whose score reaches the threshold, best first.

    score = similarity x freshness x recall weight; freshness = exp(-age / halflife),
    recall weight = 1 + scale x ln(1 + how often it was recalled).
    """
    found = []
    for candidate in candidates:
        freshness = math.exp(-max(0.0, candidate.age_days) / halflife_days)
        weight = 1.0 + recall_weight_scale * math.log1p(candidate.recall_count)
        score = candidate.similarity * freshness * weight
        if score < threshold:
            continue
        scores = {
            "lexical" if candidate.by_words else "semantic": round(candidate.similarity, 4),
            "freshness": round(freshness, 4),
            "recall_weight": round(weight, 4),
        }
        why = "has the words of the question" if candidate.by_words else "close in meaning to the question"
        found.append(RankedEpisode(candidate.id, score, scores, why))
    return sorted(found, key=lambda one: (-one.score, one.id))
