"""Asks for a stream and reads it, and writes the lines of one."""

from __future__ import annotations

import json
from typing import Any

from memory.errors import ModelError
from memory.llm import gateway
from memory.llm.gateway import ChatRequest, ChatStream
from memory.llm.routing import Route
from tests.memory.llm.conftest import run

Chunks = list[dict[str, Any]]


def ask(route: Route, *, usage: bool = False, **more: Any) -> ChatRequest:
    options = {"stream_options": {"include_usage": True}} if usage else {}
    return ChatRequest({"messages": [{"role": "user", "content": "hi"}], **options, **more}, route)


def read(request: ChatRequest) -> tuple[Chunks, ChatStream]:
    async def reading() -> tuple[Chunks, ChatStream]:
        async with await gateway.chat_stream(request) as answer:
            return [chunk async for chunk in answer], answer

    return run(reading())


def broken(request: ChatRequest) -> tuple[Chunks, ChatStream, ModelError]:
    """Reads a stream that is expected to fail on the way."""

    async def reading() -> tuple[Chunks, ChatStream, ModelError]:
        chunks: Chunks = []
        answer = await gateway.chat_stream(request)
        try:
            async for chunk in answer:
                chunks.append(chunk)
        except ModelError as error:
            return chunks, answer, error
        raise AssertionError(f"it did not fail: {chunks}")

    return run(reading())


def piece(*choices: dict[str, Any], **more: Any) -> str:
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return "data: " + json.dumps({**base, "choices": list(choices), **more})


def delta(text: str, index: int = 0, reason: str | None = None, **more: Any) -> dict[str, Any]:
    return {"index": index, "delta": {"content": text, **more}, "finish_reason": reason}


DONE = "data: [DONE]"


def text_of(chunks: Chunks, index: int = 0) -> str:
    choices = [c for chunk in chunks for c in chunk["choices"] if c["index"] == index]
    return "".join(c["delta"].get("content") or "" for c in choices)


def reasons_of(chunks: Chunks, index: int = 0) -> list[str]:
    choices = [c for chunk in chunks for c in chunk["choices"] if c["index"] == index]
    return [c["finish_reason"] for c in choices if c["finish_reason"]]
