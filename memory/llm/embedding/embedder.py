"""Turns texts into vectors: patiently for documents, in time or not at all for a question."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from memory.errors import ModelError, ModelRefusedRequest
from memory.llm.embedding import batching, checking, known, texts
from memory.llm.embedding.choosing import MOST_NUMBERS, Spec, too_long, wrong_length
from memory.llm.embedding.errors import BadTexts
from memory.llm.embedding.identity import Identity
from memory.llm.embedding.known import Kind
from memory.llm.embedding.loading import Loading
from memory.llm.embedding.queries import Queries
from memory.llm.errors import nonsense

BUDGET_SECONDS = 0.150


class Backend(Protocol):
    """What runs a model. lanes: questions at once; most_texts: texts in one call."""

    @property
    def name(self) -> str: ...

    @property
    def lanes(self) -> int: ...

    @property
    def most_texts(self) -> int: ...

    def load(self) -> None:
        """Get ready, which may take seconds. Raises ModelError."""

    def embed(self, texts: Sequence[str], kind: Kind) -> Any:
        """A vector for each text, unchecked. Raises ModelError."""

    def tokens(self, texts: Sequence[str]) -> int:
        """How many the model reads of these texts; 0 where only its provider could tell."""


class Embedder:
    """One model. Thread-safe; made once for each by `memory.llm.embedding`, and loaded when it is first needed."""

    def __init__(self, spec: Spec, backend: Backend) -> None:
        self.spec = spec
        self.backend = backend
        self._known = known.model(spec.model)
        self._dim = spec.dim
        # It has given a vector of that length: another is its mistake, not the operator's.
        self._proven = False
        self._loading = Loading(backend.name, backend.load)
        self._queries = Queries(f"{backend.name}/{spec.dim}", self._query, lanes=backend.lanes)

    @property
    def identity(self) -> Identity:
        """Whose vectors these are. Of a model that nothing is known of it must ask for one: raises ModelError."""
        if self._dim is None:
            self._loading.now()
            self._embed(["How long is this?"], "document")
        assert self._dim is not None
        return Identity(self.spec.family, self.spec.model, self._dim)

    @property
    def ready(self) -> bool:
        """Whether it is loaded."""
        return self._loading.done

    @property
    def paused(self) -> bool:
        """Whether questions are not even tried for the moment, because it did not answer the last ones."""
        return self._queries.paused

    def counts(self) -> Mapping[str, int]:
        """How questions ended in this process: cached, computed, joined, late, failed, paused, busy."""
        return self._queries.counts()

    def load(self) -> None:
        """Returns when it is loaded, which may take seconds. Raises ModelError."""
        self._loading.now()

    def warm_up(self) -> None:
        """Have it loaded beside what is going on; for a process's start. Returns at once, raises nothing."""
        self._loading.begin()

    def documents(self, documents: Sequence[str]) -> np.ndarray:
        """float32[n, dim], each vector of length 1, in the order of the texts.

        A text counts with its first 4,000 characters, and with as many tokens as the model reads (MiniLM: 256).
        Takes as long as it takes. Raises BadTexts, which holds the vectors of all others, where single texts have
        none (blank, refused, answered with nonsense); any other ModelError is about all of them.
        """
        cleaned = [texts.document(text) for text in documents]
        places = [place for place, text in enumerate(cleaned) if text]
        self._loading.now()
        outcome = batching.embed(
            [cleaned[place] for place in places],
            lambda batch: self._embed(batch, "document"),
            most_texts=self.backend.most_texts,
        )
        vectors = {places[at]: vector for at, vector in outcome.vectors.items()}
        errors = {places[at]: error for at, error in outcome.errors.items()}
        errors |= {place: self._blank() for place, text in enumerate(cleaned) if not text}
        if errors:
            raise BadTexts(vectors, dict(sorted(errors.items())))
        if not vectors:
            return np.zeros((0, self.identity.dim), dtype=np.float32)
        return np.stack([vectors[place] for place in range(len(vectors))])

    def query(self, text: str, budget_seconds: float = BUDGET_SECONDS) -> np.ndarray | None:
        """float32[dim] of length 1, read-only; None where there is none within the budget. Raises nothing.

        Blank: None. While the model is still being loaded, or was not even begun to be: None, and it is begun. What
        is found too late is there for whoever asks the same again.
        """
        deadline = time.monotonic() + budget_seconds
        question = texts.query(text)
        if not question:
            return None
        found = self._queries.remembered(question)
        if found is not None:
            return found
        if not self._loading.done:
            self._loading.begin()
            return None
        return self._queries.ask(question, deadline)

    def _query(self, text: str) -> np.ndarray:
        vector: np.ndarray = self._embed([text], "query")[0]
        return vector

    def _embed(self, batch: list[str], kind: Kind) -> np.ndarray:
        rows = self.backend.embed(batch, kind)
        try:
            found = checking.vectors(rows, count=len(batch), dim=self._dim, least=self._known.least)
        except checking.WrongLength as wrong:
            if self._proven or self.spec.dim is None:
                raise self._nonsense(wrong) from None
            raise wrong_length(self.spec.provider, self.spec.model, wrong.length, self.spec.dim) from None
        except checking.Nonsense as wrong:
            self._proven = self._proven or checking.any_of_length(rows, self._dim)
            raise self._nonsense(wrong) from None
        self._proven = True
        if self._dim is None:
            if found.shape[1] > MOST_NUMBERS:
                raise too_long(self.spec.provider, self.spec.model, found.shape[1])
            self._dim = found.shape[1]
        return found

    def _nonsense(self, wrong: checking.Nonsense) -> ModelError:
        return nonsense(str(wrong), self.spec.route)

    def _blank(self) -> ModelError:
        return ModelRefusedRequest(
            "A text without words has no vector.", provider=self.spec.provider, model=self.spec.model
        )
