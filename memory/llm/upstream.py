"""Where a stream's chunks come from: the provider's own lines, or litellm's translation of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any

from memory.llm.errors import from_status, hung_up, nonsense
from memory.llm.routing import Route
from memory.llm.sse import SseDecoder
from memory.llm.words import clean

Chunk = dict[str, Any]
# After its last event a well-behaved server ends the body at once, and the connection can be used again.
_DRAIN_SECONDS = 0.2
# An answer that came whole and is longer than this is no answer; it must not fill the memory.
MOST_BODY_BYTES = 32 * 1024 * 1024


class Upstream:
    """An answer that has begun to arrive. `chunks` gives each chunk as it came; `aclose` hangs up."""

    def __init__(self, wrapper: Any, route: Route) -> None:
        self._wrapper = wrapper
        self._route = route
        # The provider itself said that this was all.
        self.ended = False
        # litellm wraps the OpenAI client's stream, which wraps the HTTP response. The wrapper is lossy (one
        # choice, no unknown fields, chunks without choices dropped) and takes 0.3 ms a chunk, so the response
        # itself is read where there is one.
        stream = getattr(wrapper, "completion_stream", None)
        self._stream = stream
        self._response = getattr(stream, "response", None) if route.speaks_openai else None

    async def chunks(self) -> AsyncGenerator[Chunk, None]:
        source = self._mapped() if self._response is None else self._verbatim()
        async with aclosing(source):
            while True:
                try:
                    # Around each wait alone: a time-out must never be open across a yield.
                    async with asyncio.timeout(self._route.timeout_seconds):
                        chunk = await anext(source)
                except StopAsyncIteration:
                    return
                yield chunk

    async def whole(self) -> Chunk:
        """The body of an answer that does not stream, as the provider wrote it."""
        assert self._response is not None
        try:
            return self._parsed(await self._body())
        finally:
            await self.aclose()

    async def aclose(self) -> None:
        """Closes the connection unless the answer was read to its end."""
        for closable in (self._response, self._stream, self._wrapper):
            close = getattr(closable, "aclose", None) or getattr(closable, "close", None)
            if close is not None:
                with suppress(Exception):
                    done = close()
                    if asyncio.iscoroutine(done):
                        await done

    async def _mapped(self) -> AsyncGenerator[Chunk, None]:
        async for chunk in self._wrapper:
            yield chunk.model_dump(exclude_none=True, warnings=False)
        # litellm ends its iteration only after the provider's own end.
        self.ended = True

    async def _verbatim(self) -> AsyncGenerator[Chunk, None]:
        response = self._response
        assert response is not None
        if "json" in response.headers.get("content-type", ""):
            # It did not stream although it was asked to.
            yield _as_chunk(self._parsed(await self._body()))
            self.ended = True
            return
        decoder = SseDecoder()
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                for data in decoder.feed(piece):
                    if data.strip() == "[DONE]":
                        self.ended = True
                        break
                    yield self._parsed(data)
                if self.ended:
                    with suppress(Exception):
                        async with asyncio.timeout(_DRAIN_SECONDS):
                            async for _ in pieces:
                                pass
                    return
        for data in decoder.finish():
            if data.strip() == "[DONE]":
                self.ended = True
                return
            yield self._parsed(data)

    async def _body(self) -> str:
        assert self._response is not None
        body = bytearray()
        async with aclosing(self._response.aiter_bytes()) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) > MOST_BODY_BYTES:
                    raise nonsense("its answer does not end", self._route)
        return body.decode("utf-8", "replace")

    def _parsed(self, data: str) -> Chunk:
        try:
            chunk = json.loads(data)
        except ValueError:
            chunk = None
        if not isinstance(chunk, dict):
            raise nonsense("its answer is no JSON object", self._route, raw=data[:2000])
        error = chunk.get("error")
        if error and not chunk.get("choices"):
            raise self._failed(error)
        return chunk

    def _failed(self, error: Any) -> Exception:
        """An error that arrives inside a stream that began well (status 200)."""
        said = error.get("message") if isinstance(error, dict) else error
        code = error.get("code") if isinstance(error, dict) else None
        words = clean(str(said or "an error without words"), self._route.api_key)
        if isinstance(code, int) and 400 <= code < 600:
            return from_status(code, words, self._route)
        return hung_up(self._route, words)


def _as_chunk(body: Chunk) -> Chunk:
    """A whole answer as one chunk of a stream."""
    choices = []
    for choice in body.get("choices") or []:
        if isinstance(choice, dict):
            message = choice.get("message")
            delta = dict(message) if isinstance(message, dict) else {}
            calls = delta.get("tool_calls")
            if isinstance(calls, list):
                delta["tool_calls"] = [{"index": i, **c} for i, c in enumerate(calls) if isinstance(c, dict)]
            rest = {name: value for name, value in choice.items() if name != "message"}
            choices.append({**rest, "delta": delta})
    return {**body, "choices": choices}
