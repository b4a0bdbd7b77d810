"""The answer where no language model is configured, in OpenAI's shapes."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

from caesar.chat.turn import Opened
from memory.builtin.answer import answer
from memory.llm.usage import Usage

MODEL = "builtin"
NO_TOKENS = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
_WORD = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


def response(opened: Opened) -> dict[str, Any]:
    """OpenAI's response."""
    message = {"role": "assistant", "content": _text(opened)}
    return {
        **_envelope("chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": NO_TOKENS,
    }


class BuiltinStream:
    """OpenAI's chunks, word by word; to be used as a `ChatStream` of the gateway is."""

    usage = Usage(0, 0, 0)
    model = MODEL

    def __init__(self, opened: Opened) -> None:
        self.finished = False
        self._whole = _text(opened)
        self._include_usage = opened.request.wants_usage
        self.text = ""

    @property
    def message(self) -> dict[str, Any]:
        return {"role": "assistant", "content": self.text}

    @property
    def finish_reasons(self) -> dict[int, str | None]:
        return {0: "stop" if self.finished else None}

    async def __aenter__(self) -> BuiltinStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        head = _envelope("chat.completion.chunk")
        role: dict[str, Any] = {"role": "assistant"}
        for word in _WORD.findall(self._whole):
            self.text += word
            yield {**head, "choices": [{"index": 0, "delta": {**role, "content": word}, "finish_reason": None}]}
            role = {}
        self.finished = True
        yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        if self._include_usage:
            yield {**head, "choices": [], "usage": NO_TOKENS}


def _text(opened: Opened) -> str:
    turn = opened.turn
    known = turn.recalled
    return answer(turn.question, known.facts, known.episodes, will_be_read=turn.mine_facts).text


def _envelope(kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": int(time.time()), "model": MODEL}
