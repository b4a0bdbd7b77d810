"""Where the vectors of a client's request come from: a model in this process, or one at a provider.

Clients give way to questions. What runs in this process reads their texts one small piece at a time in a thread of its
own, request by request in turn, so that a chat that looks something up meanwhile still has its vector in time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import numpy as np

from memory.errors import InvalidInput, ModelRateLimited
from memory.llm import embedding, loop
from memory.llm.embedding import batching, texts
from memory.llm.embedding.choosing import Spec
from memory.llm.embedding.hosted import Hosted
from memory.llm.embedding.pool import Pool
from memory.llm.providers import IN_PROCESS

# Of what runs in this process: characters of one computation, a few hundredths of a second.
MOST_CHARACTERS = 1200
# Requests that may wait for their turn there, beside the one that is read.
MOST_WAITING = 32
AGAIN_SECONDS = 5.0

T = TypeVar("T")
Check = Callable[[Any], np.ndarray]
# Room for the pieces of clients that left, which stay in the line and cost nothing.
_pool = Pool("embed-served", threads=1, waiting=32 * MOST_WAITING)
_open = 0


class Source(Protocol):
    """What runs the model."""

    def batches(self, inputs: Sequence[Any]) -> Iterator[Sequence[int]]:
        """Positions of the inputs that go into one call. Raises InvalidInput for what it does not read."""

    async def embed(self, inputs: Sequence[Any], check: Check) -> tuple[np.ndarray, int]:
        """What `check` makes of the vectors of a batch, and the tokens counted. Raises ModelError."""


@contextmanager
def source_of(spec: Spec, dim: int | None, more: Mapping[str, Any]) -> Iterator[Source]:
    """The source of one request, for as long as it takes. Raises ModelRateLimited where too many wait already."""
    global _open
    if spec.provider not in IN_PROCESS:
        yield AtProvider(spec, Hosted(spec.route, dim), more)
        return
    if _open > MOST_WAITING:
        raise _busy(spec)
    _open += 1
    try:
        yield InProcess(spec)
    finally:
        _open -= 1


class InProcess:
    """The model that this process searches with as well: it is loaded once for both."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._embedder = embedding.of_spec(spec)
        self._backend = self._embedder.backend

    def batches(self, inputs: Sequence[Any]) -> Iterator[Sequence[int]]:
        _texts_alone(self._spec, inputs)
        lengths = [len(each) for each in inputs]
        return batching.batches(lengths, most_texts=self._backend.most_texts, most_characters=MOST_CHARACTERS)

    async def embed(self, inputs: Sequence[Any], check: Check) -> tuple[np.ndarray, int]:
        def read() -> tuple[np.ndarray, int]:
            self._embedder.load()
            given = [texts.document(each) for each in inputs]
            return check(self._backend.embed(given, "plain")), self._backend.tokens(given)

        future: Future[tuple[np.ndarray, int]] = Future()
        if not _pool.submit(lambda: _run(read, future)):
            raise _busy(self._spec)
        return await asyncio.wrap_future(future)


class AtProvider:
    """A model at a provider, which is waited for without a thread."""

    def __init__(self, spec: Spec, backend: Hosted, more: Mapping[str, Any]) -> None:
        self._spec = spec
        self._backend = backend
        self._more = more

    def batches(self, inputs: Sequence[Any]) -> Iterator[Sequence[int]]:
        if not self._spec.route.speaks_openai:
            _texts_alone(self._spec, inputs)
        most = self._backend.most_texts
        return (range(first, min(first + most, len(inputs))) for first in range(0, len(inputs), most))

    async def embed(self, inputs: Sequence[Any], check: Check) -> tuple[np.ndarray, int]:
        async def ask() -> tuple[np.ndarray, int]:
            rows, tokens = await self._backend.plain(inputs, self._more)
            return check(rows), tokens

        await asyncio.to_thread(self._backend.load)
        # Not in the caller's loop: to read a hundred thousand numbers would hold everybody up there.
        return await loop.joined(ask())


def _run(call: Callable[[], T], future: Future[T]) -> None:
    """The call, unless whoever waits for it is gone by then."""
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(call())
        except Exception as error:
            future.set_exception(error)


def _texts_alone(spec: Spec, inputs: Sequence[Any]) -> None:
    if not all(isinstance(each, str) for each in inputs):
        raise InvalidInput(
            f"The embedding model {spec.public_name} reads texts and no tokens: send a text or a list of texts "
            "(LangChain: OpenAIEmbeddings(check_embedding_ctx_length=False))."
        )


def _busy(spec: Spec) -> ModelRateLimited:
    return ModelRateLimited(
        f"The embedding model {spec.public_name} has {MOST_WAITING} requests to read already; try again in "
        f"{AGAIN_SECONDS:.0f} s.",
        provider=spec.provider,
        model=spec.model,
        retry_after=AGAIN_SECONDS,
    )
