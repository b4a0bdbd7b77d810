"""A question as search needs it: its vector under the embedder in force, and its words."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memory.domain.terms import as_written, is_specific, query_tokens, term_ids
from memory.embeddings import as_text

MOST_TERMS = 48  # of a long message those that name something, then the first ones


@dataclass(frozen=True)
class Nearness:
    """A vector and the embedder that made it: what only rows of the same embedder are compared with."""

    identity: str
    dim: int
    vector: NDArray[np.float32]

    @cached_property
    def text(self) -> str:
        return as_text(self.vector)


@dataclass(frozen=True)
class Question:
    """What is asked in one profile. `near` is None where nobody could embed it in time: then words alone decide."""

    profile_id: uuid.UUID
    text: str
    near: Nearness | None = None

    @cached_property
    def words(self) -> list[str]:
        """Its distinct terms, in order, at most a few dozen."""
        words = list(dict.fromkeys(query_tokens(self.text)))
        if len(words) > MOST_TERMS:
            named = [word for word in words if is_specific(word)]
            words = [*named, *(word for word in words if not is_specific(word))][:MOST_TERMS]
        return words

    @cached_property
    def written(self) -> list[str]:
        """The same as they stand in the text, place for place."""
        written = as_written(self.text)
        return [written.get(word, word) for word in self.words]

    @cached_property
    def terms(self) -> list[int]:
        """The same as numbers, place for place."""
        return term_ids(self.profile_id, self.words)
