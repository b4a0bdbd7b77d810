"""How good a list of results is, measured on the turns that answer the question."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

FIRST = 10
TOKENS = 1024
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Hit:
    """A result: the turns it was made from, and what a model would be given."""

    turns: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Measured:
    """Each 0 to 1.

    recall: the share of the evidence in the first ten results. ndcg: the same, where a place further down counts less
    (binary gain; Järvelin and Kekäläinen 2002). budget: the share of the evidence in what fits in 1,024 tokens.
    """

    recall: float
    ndcg: float
    budget: float


def measure(hits: Sequence[Hit], evidence: Collection[str]) -> Measured:
    """Of results, best first. A turn counts where it is found first; `evidence` is not empty."""
    missing = set(evidence)
    recall = budget = 0
    gain, tokens = 0.0, 0
    for place, hit in enumerate(hits):
        new = missing.intersection(hit.turns)
        missing -= new
        tokens += max(1, len(hit.text) // CHARACTERS_PER_TOKEN)
        budget += len(new) if tokens <= TOKENS else 0
        if place < FIRST:
            recall += len(new)
            gain += 1 / math.log2(place + 2) if new else 0.0
    best = sum(1 / math.log2(place + 2) for place in range(min(len(evidence), FIRST)))
    return Measured(recall / len(evidence), gain / best, budget / len(evidence))


def mean(measured: Sequence[Measured]) -> list[float]:
    """[recall, ndcg, budget] of all questions together."""
    return [
        sum(one.recall for one in measured) / len(measured),
        sum(one.ndcg for one in measured) / len(measured),
        sum(one.budget for one in measured) / len(measured),
    ]
