"""A streamed chat in which the model may look things up: several answers of the model, one stream for the client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from types import TracebackType
from typing import Any

from caesar.chat import tool_offer
from caesar.chat.tool_loop import Rounds, gap, without_calls
from caesar.chat.tool_sort import Chunk, Sorter
from memory.llm import gateway
from memory.llm.gateway import ChatStream
from memory.llm.shape import StreamShape
from memory.llm.usage import Usage, added


class ToolStream:
    """OpenAI's chunks as dicts, to be used as a `ChatStream` of the gateway is; iterating it asks the model."""

    def __init__(self, rounds: Rounds) -> None:
        self.rounds = rounds
        self.finished = False
        self._shape = StreamShape(model=rounds.opened.route.model, include_usage=rounds.opened.request.wants_usage)
        self._streams: list[ChatStream] = []
        self._counted: dict[str, Any] = {}
        self._before = ""  # an earlier round's text, until this round has some
        self._chunks = self._run()

    @property
    def usage(self) -> Usage:
        """Of all rounds, as far as their providers counted."""
        return sum((stream.usage for stream in self._streams), Usage())

    @property
    def model(self) -> str:
        return self._shape.model

    @property
    def text(self) -> str:
        """What the client was given so far."""
        return self._shape.text

    @property
    def message(self) -> dict[str, Any]:
        """The message as the client has it so far: without our calls."""
        return self._shape.messages.get(0, {"role": "assistant", "content": ""})

    @property
    def finish_reasons(self) -> dict[int, str | None]:
        return self._shape.finish_reasons

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self._chunks

    async def __aenter__(self) -> ToolStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._chunks.aclose()

    async def _run(self) -> AsyncGenerator[Chunk, None]:
        going = True
        while going:
            sorter = Sorter(opening=not self._shape.started)
            self._before = self.text
            async with await self.rounds.ask(gateway.chat_stream) as stream:
                self._streams.append(stream)
                async for chunk in stream:
                    for shown in self._passed_on(chunk, sorter):
                        yield shown
            mine, theirs = tool_offer.parted(stream.message.get("tool_calls"))
            going = self.rounds.goes_on(mine, theirs)
            if going:
                await self.rounds.look_up(stream.message, mine)
        if sorter.held_reason is not None:
            closing = {"index": 0, "delta": {}, "finish_reason": without_calls(sorter.held_reason)}
            for shown in self._shape.feed({"choices": [closing]}):
                yield shown
        for shown in self._last():
            yield shown
        self.finished = True

    def _passed_on(self, chunk: Chunk, sorter: Sorter) -> Iterator[Chunk]:
        """What the client is given of a chunk: its text, set apart from an earlier round's, and the client's calls."""
        if isinstance(chunk.get("usage"), dict):  # it stands alone, at the end of a round
            self._counted = added(self._counted, chunk["usage"])
            return
        shown = sorter.feed(chunk)
        if shown is None:
            return
        for choice in shown["choices"]:
            said = choice["delta"].get("content")
            if choice["index"] == 0 and said and isinstance(said, str):
                choice["delta"]["content"] = gap(self._before, said) + said
                self._before = ""
        yield from self._shape.feed(shown)

    def _last(self) -> Iterator[Chunk]:
        if self._counted:
            yield from self._shape.feed({"choices": [], "usage": self._counted})
        yield from self._shape.finish()
