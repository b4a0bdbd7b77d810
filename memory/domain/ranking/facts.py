"""Which facts a question brings up, and in which order."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

RARE_SHARE, RARE_MOST = 4, 3  # a rare word stands in at most a quarter of the facts, and in never more than three


@dataclass(frozen=True)
class Term:
    """A word of the question, `text` as it is shown.

    `df`: how many facts hold it, counted up to a bound; `specific`: an id or a figure.
    """

    text: str
    df: int
    specific: bool = False


@dataclass(frozen=True)
class FactCandidate:
    """A fact that may answer. `semantic`: cosine to the question, None where one of the two has no vector.

    `hits`: the places, in the question's list of terms, of those that the fact holds.
    """

    id: uuid.UUID
    semantic: float | None
    hits: frozenset[int]
    importance: float
    recent: bool


@dataclass(frozen=True)
class Weights:
    """score = semantic + lexical x `lexical` + importance x `importance` + `recent` where it was used of late."""

    lexical: float = 0.45
    importance: float = 0.05
    recent: float = 0.03


@dataclass(frozen=True)
class Ranked:
    """A fact that is brought up, its score with its parts, and the rule that let it through."""

    id: uuid.UUID
    score: float
    scores: dict[str, float] = field(default_factory=dict)
    anchors: tuple[str, ...] = ()
    why: str = ""


def rank(
    terms: Sequence[Term],
    candidates: Sequence[FactCandidate],
    *,
    facts: int,
    min_score: float,
    min_lexical: float,
    weights: Weights = Weights(),
) -> list[Ranked]:
    """The facts that the question brings up, best first; equal ones in order of age.

    One comes up where its semantic score clears `min_score`, or where the question names something specific that it
    holds (an id, a figure, a rare word) and its lexical score clears `min_lexical`. `facts`: how many there are.
    """
    anchors = anchoring(terms, facts)
    found = []
    for candidate in candidates:
        names = anchors & candidate.hits
        lexical = coverage(terms, candidate.hits, anchors, facts)
        semantic = candidate.semantic or 0.0
        by_meaning = candidate.semantic is not None and semantic >= min_score
        by_words = bool(names) and lexical >= min_lexical
        if not by_meaning and not by_words:
            continue
        scores = {"semantic": round(semantic, 4), "lexical": round(lexical, 4), "importance": candidate.importance}
        score = semantic + weights.lexical * lexical + weights.importance * candidate.importance
        if candidate.recent:
            scores["recent"] = weights.recent
            score += weights.recent
        named = tuple(dict.fromkeys(terms[n].text for n in sorted(names)))
        found.append(Ranked(candidate.id, score, scores, named if by_words else (), _why(by_meaning, named, by_words)))
    return sorted(found, key=lambda one: (-one.score, one.id))


def anchoring(terms: Sequence[Term], count: int) -> set[int]:
    """The places of the terms that name something specific: ids, figures, and words that are rare among so many."""
    rarity = max(1, min(RARE_MOST, count // RARE_SHARE))
    return {n for n, term in enumerate(terms) if term.specific or 0 < term.df <= rarity}


def coverage(terms: Sequence[Term], hits: frozenset[int], anchoring: set[int], facts: int) -> float:
    """The share of what the question asks for that the fact holds, 0 to 1, rare words counting more.

    Words that no fact holds say nothing about any. To a fact that is named, the other things that are named beside
    it are questions of their own.
    """
    named = not anchoring.isdisjoint(hits)
    asked = hit = 0.0
    for n, term in enumerate(terms):
        if term.df == 0 or (named and n in anchoring and n not in hits):
            continue
        weight = math.log1p(max(facts, term.df) / term.df)
        asked += weight
        hit += weight if n in hits else 0.0
    return hit / asked if asked else 0.0


def _why(by_meaning: bool, named: tuple[str, ...], by_words: bool) -> str:
    reasons = [f"the question names {', '.join(named)}"] if by_words else []
    if by_meaning:
        reasons.append("close in meaning to the question")
    return " and ".join(reasons)
