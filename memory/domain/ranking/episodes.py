"""Which past conversations fit a chat."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from .facts import Term, Weights, anchoring, coverage


@dataclass(frozen=True)
class EpisodeCandidate:
    """A summary that may fit. `semantic`: cosine to the question, None where one of the two has no vector.

    `hits`: the places, in the question's list of terms, of those that the summary holds. `age_days` counts from the
    last turn of the conversation.
    """

    id: uuid.UUID
    semantic: float | None
    hits: frozenset[int]
    age_days: float
    recall_count: int


@dataclass(frozen=True)
class RankedEpisode:
    id: uuid.UUID
    score: float
    scores: dict[str, float] = field(default_factory=dict)
    why: str = ""


def rank(
    terms: Sequence[Term],
    candidates: Sequence[EpisodeCandidate],
    *,
    episodes: int,
    halflife_days: float,
    recall_weight_scale: float,
    threshold: float,
    min_lexical: float,
) -> list[RankedEpisode]:
    """Those whose score reaches the threshold, best first. `episodes`: how many there are.

    score = cosine x freshness x recall weight; freshness = exp(-age / halflife), recall weight = 1 + scale x
    ln(1 + how often it was recalled). Small models see little likeness between a short question and a summary: one
    that does not reach the threshold by its cosine gets a second chance where the question names something specific
    that it holds, with cosine + 0.45 lexical in the place of the cosine; where there is no vector, by words alone.
    """
    anchors = anchoring(terms, episodes)
    found = []
    for candidate in candidates:
        freshness = math.exp(-max(0.0, candidate.age_days) / halflife_days)
        weight = 1.0 + recall_weight_scale * math.log1p(candidate.recall_count)
        lexical = coverage(terms, candidate.hits, anchors, episodes)
        scores = {
            "semantic": round(candidate.semantic or 0.0, 4),
            "lexical": round(lexical, 4),
            "freshness": round(freshness, 4),
            "recall_weight": round(weight, 4),
        }
        score = (candidate.semantic or 0.0) * freshness * weight
        why = "close in meaning to the question"
        named = anchors & candidate.hits
        if score < threshold and named and lexical >= min_lexical:
            score = _by_words(candidate.semantic, lexical) * freshness * weight
            why = f"the question names {', '.join(dict.fromkeys(terms[n].text for n in sorted(named)))}"
        if score >= threshold:
            found.append(RankedEpisode(candidate.id, score, scores, why))
    return sorted(found, key=lambda one: (-one.score, one.id))


def _by_words(semantic: float | None, lexical: float) -> float:
    if semantic is None:
        return lexical
    return min(1.0, max(0.0, semantic) + Weights().lexical * lexical)
