"""Which words of a question stand in a passage and around it.

In a conversation the words of a question are spread: one asks "What are you reading?", the other answers "Dune, for the
second time". So a passage also has a part in the words that stand in other parts of its message and in the two messages
before and after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

AROUND = (0.85, 0.85, 0.5)  # what a word counts that stands 0, 1 or 2 messages away
HALF_LENGTH = 36.0  # terms of a passage in which a word counts half: long ones hold many words by chance
_SPAN = 1 << 32

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Holders:
    """The passages that hold one term, place for place: conversation (as a small number), position, length in terms."""

    conversation: Ints
    position: Ints
    length: Ints


def rarity(df: Sequence[int], passages: int) -> Floats:
    """What each term tells, by how many of the passages hold it (BM25): ln(1 + (n - df + 0.5) / (df + 0.5))."""
    held = np.minimum(np.asarray(df, np.float64), passages)
    return np.log1p((passages - held + 0.5) / (held + 0.5)).astype(np.float32)


def brevity(length: Ints) -> Floats:
    """What a word counts in a passage of so many terms, 0 to 1."""
    return (1.0 / (1.0 + np.asarray(length, np.float32) / HALF_LENGTH)).astype(np.float32)


class Places:
    """Where in the conversations the terms of a question stand, for as many of them as were looked up."""

    def __init__(self, holders: Sequence[Holders | None]) -> None:
        """holders: of each term of the question; None where too many passages hold it."""
        keys = [_key(one.conversation, one.position) if one is not None else np.empty(0, np.int64) for one in holders]
        self.keys: Ints = np.unique(np.concatenate(keys)) if keys else np.empty(0, np.int64)
        self.counts: Floats = np.zeros((len(holders), len(self.keys) + 1), np.float32)  # the last column is nowhere
        for term, one in enumerate(holders):
            if one is not None:
                np.maximum.at(self.counts[term], np.searchsorted(self.keys, keys[term]), brevity(one.length))

    def near(self, conversation: Ints, position: Ints) -> Floats:
        """What each term counts at places by standing at or around them: terms x places."""
        found = np.zeros((len(self.counts), len(conversation)), np.float32)
        for away, share in enumerate(AROUND):
            for step in {away, -away}:
                at = self._find(_key(conversation, position + step))
                np.maximum(found, share * self.counts[:, at], out=found)
        return found

    def best(self, weights: Floats, most: int) -> tuple[Ints, Ints]:
        """At most `most` places (conversations, positions) that hold most of the question, in or around them."""
        if not len(self.keys):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        own = weights @ self.counts[:, :-1]
        seeds = self.keys[_top(own, most)]
        reach = len(AROUND) - 1
        keys = np.unique(np.concatenate([seeds + step for step in range(-reach, reach + 1)]))
        keys = keys[_top(weights @ self.near(*_place(keys)), most)]
        return _place(keys)

    def _find(self, keys: Ints) -> Ints:
        """The column of each key; the last one where no term stands there."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, at, len(self.keys))


def coverage(weights: Floats, holds: NDArray[np.bool_], length: Ints, near: Floats) -> tuple[Floats, Floats]:
    """The share of what a question asks for, 0 to 1: that passages hold themselves, and that stands around them only.

    weights: of each term. holds: passages x terms. near: as `Places.near` of the passages.
    """
    total = float(weights.sum())
    if not total:
        return np.zeros(len(length), np.float32), np.zeros(len(length), np.float32)
    own = holds.T * brevity(length)
    return weights @ own / total, weights @ np.maximum(near - own, 0.0) / total


def _key(conversation: Ints, position: Ints) -> Ints:
    return np.asarray(conversation, np.int64) * _SPAN + np.asarray(position, np.int64) + len(AROUND)


def _place(keys: Ints) -> tuple[Ints, Ints]:
    return keys // _SPAN, keys % _SPAN - len(AROUND)


def _top(scores: Floats, most: int) -> Ints:
    if len(scores) <= most:
        return np.arange(len(scores))
    return np.argpartition(-scores, most)[:most]
