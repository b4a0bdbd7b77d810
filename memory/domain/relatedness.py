"""Which of the known facts a text is most likely about: what a reader should be shown before it names keys."""

from __future__ import annotations

import math
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .lexicon import FILLERS
from .roles import BY_WORD
from .text import tokens

MOST_OF_A_KEY = 3  # values of one key, so that a long list of hobbies leaves room for others
VALUE_CHARS = 200
ENTITY_SHARE = 0.5  # of what its best fact has with the text in common, for the others about the same entity


@dataclass(frozen=True)
class KeyedFact:
    """A fact under a key, and what it is about."""

    key: str
    value: str
    entity_id: uuid.UUID | None = None


def most_related(facts: Sequence[KeyedFact], text: str, most: int) -> list[KeyedFact]:
    """The facts that share rare words with the text, or are about what it names; then the rest in the order given."""
    said = _stems(text)
    said |= {stem for word in said if word in BY_WORD for key in BY_WORD[word].keys for stem in _stems(_plain(key))}
    found = [_stems(f"{_plain(fact.key)} {fact.value[:VALUE_CHARS]}") & said for fact in facts]
    spread = Counter(stem for stems in found for stem in stems)
    weights = [sum(math.log(1 + len(facts) / spread[stem]) for stem in stems) for stems in found]
    best: dict[uuid.UUID, float] = {}
    for fact, weight in zip(facts, weights, strict=True):
        if fact.entity_id is not None:
            best[fact.entity_id] = max(best.get(fact.entity_id, 0.0), weight)
    ranked = sorted(
        zip(facts, weights, strict=True),
        key=lambda pair: max(pair[1], ENTITY_SHARE * best.get(pair[0].entity_id, 0.0) if pair[0].entity_id else 0.0),
        reverse=True,
    )
    taken: Counter[str] = Counter()
    chosen: list[KeyedFact] = []
    for fact, _ in ranked:
        if len(chosen) < most and taken[fact.key] < MOST_OF_A_KEY:
            taken[fact.key] += 1
            chosen.append(fact)
    return chosen


def _plain(key: str) -> str:
    return key.replace(".", " ").replace("_", " ")


def _stems(text: str) -> set[str]:
    """The words that tell something, without possessive and plural endings."""
    return {_stem(token) for token in tokens(text)} - FILLERS


def _stem(token: str) -> str:
    token = token.removesuffix("'s")
    if len(token) < 4 or not token.isascii() or token.endswith("ss"):
        return token
    return token[:-3] + "y" if token.endswith("ies") else token.removesuffix("s")
