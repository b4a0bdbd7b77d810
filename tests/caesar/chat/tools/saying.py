"""What the scripted model says in these tests, and what was asked of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memory import semantic_tool
from tests.scripted_model import Recorded, Sse, ToolCalls

WEATHER: Any = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}
LENS = '{"city":"Lens"}'


def search(query: str = "regatta", call_id: str = "s1") -> tuple[str, str, str]:
    """A call of our tool."""
    return (call_id, semantic_tool.NAME, json.dumps({"query": query}))


def searches(*queries: str) -> ToolCalls:
    return ToolCalls([search(query, f"s{number}") for number, query in enumerate(queries or ("regatta",))])


def pieces(deltas: Sequence[dict[str, Any]], *, reason: str = "tool_calls", usage: Any = None, **rest: Any) -> Sse:
    """A streamed answer of these very deltas."""
    head = {"id": "c9", "object": "chat.completion.chunk", "created": 1, "model": "m", "system_fingerprint": "fp"}
    chunks = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    if usage:
        chunks.append({**head, "choices": [], "usage": usage})
    return Sse([*(f"data: {json.dumps(chunk)}" for chunk in chunks), "data: [DONE]"], **rest)


def call_piece(index: int, *, call_id: str | None = None, name: str | None = None, arguments: str = "") -> Any:
    """A delta with a piece of a tool call."""
    function = {"arguments": arguments} | ({"name": name} if name else {})
    given = {"id": call_id, "type": "function"} if call_id else {}
    return {"tool_calls": [{"index": index, **given, "function": function}]}


def offered(request: Recorded) -> list[str]:
    """The names of the tools that a request offers."""
    return [tool["function"]["name"] for tool in request.json.get("tools") or ()]


def results(request: Recorded) -> list[str]:
    """The texts of a request's tool messages."""
    return [message["content"] for message in request.messages if message["role"] == "tool"]


def calls_of(chunks: Sequence[Any]) -> dict[int, dict[str, str]]:
    """A stream's tool calls put together by index, as a client does."""
    found: dict[int, dict[str, str]] = {}
    for chunk in chunks:
        for choice in chunk["choices"] if chunk != "[DONE]" else ():
            for piece in choice["delta"].get("tool_calls") or ():
                call = found.setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] += piece.get("id") or ""
                call["name"] += piece["function"].get("name") or ""
                call["arguments"] += piece["function"].get("arguments") or ""
    return found
