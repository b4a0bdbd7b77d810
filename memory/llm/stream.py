"""A chat's answer as it comes, piece by piece."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from types import TracebackType
from typing import Any

from memory.errors import ModelError
from memory.llm.errors import hung_up, nonsense, translate
from memory.llm.routing import Route
from memory.llm.shape import Chunk, StreamShape
from memory.llm.upstream import Upstream
from memory.llm.usage import Usage

# An answer that goes on beyond these is a model that repeats itself for ever.
MOST_CHUNKS = 500_000
MOST_CHARACTERS = 4_000_000
MOST_SECONDS = 3_600.0


class ChatStream:
    """OpenAI's chunks as dicts, to be iterated once; what was said so far can be read at any time.

    Leaving the iteration early (aclose, a cancelled task, an error) hangs up on the provider at once.

        async with await chat_stream(request) as stream:
            async for chunk in stream: ...
        stream.finished, stream.usage, stream.message
    """

    def __init__(self, upstream: Upstream, route: Route, *, include_usage: bool) -> None:
        self.route = route
        # True once the provider's answer has come whole; what is there before is a prefix of it.
        self.finished = False
        self._upstream = upstream
        self._shape = StreamShape(model=route.model, include_usage=include_usage)
        self._chunks = self._run()

    @property
    def usage(self) -> Usage:
        """As the provider counted; unknown until it said so, mostly at the end."""
        return self._shape.usage

    @property
    def model(self) -> str:
        """The model's name as the provider gives it."""
        return self._shape.model

    @property
    def text(self) -> str:
        """The text of the first choice so far."""
        return self._shape.text

    @property
    def message(self) -> dict[str, Any]:
        """The first choice's message so far, its tool calls put together."""
        return self._shape.messages.get(0, {"role": "assistant", "content": ""})

    @property
    def messages(self) -> dict[int, dict[str, Any]]:
        """Each choice's message so far, by its index."""
        return self._shape.messages

    @property
    def finish_reasons(self) -> dict[int, str | None]:
        return self._shape.finish_reasons

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self._chunks

    async def __aenter__(self) -> ChatStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends the iteration and hangs up. Harmless when repeated."""
        await self._chunks.aclose()
        # A generator that was never started has run none of its own cleaning up.
        await self._upstream.aclose()

    async def _run(self) -> AsyncGenerator[Chunk, None]:
        failure: ModelError | None = None
        try:
            async with aclosing(self._raw()) as raw:
                async for chunk in raw:
                    for shaped in self._shape.feed(chunk):
                        yield shaped
            if not self._shape.started:
                raise nonsense("its answer is empty", self.route)
            for shaped in self._shape.finish():
                yield shaped
            self.finished = True
        except Exception as error:
            failure = translate(error, self.route)
        finally:
            await self._upstream.aclose()
        if failure is not None:
            # Outside the handler: litellm's exception holds the request, and with it the key.
            raise failure

    async def _raw(self) -> AsyncGenerator[Chunk, None]:
        """The provider's chunks; an error where they break off or do not end."""
        end, count = time.monotonic() + MOST_SECONDS, 0
        async with aclosing(self._upstream.chunks()) as chunks:
            async for chunk in chunks:
                count += 1
                if count > MOST_CHUNKS or self._shape.characters > MOST_CHARACTERS or time.monotonic() > end:
                    raise nonsense("its answer does not end", self.route)
                yield chunk
        if not (self._upstream.ended or self._shape.complete):
            raise hung_up(self.route)
