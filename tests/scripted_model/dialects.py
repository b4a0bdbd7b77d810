"""A scripted text in the words of each provider: OpenAI, Anthropic and Ollama."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.scripted_model.recorded import Recorded
from tests.scripted_model.replies import Reply, Text, ToolCalls

_ids = itertools.count(1)
_USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}


@dataclass(frozen=True)
class Piece:
    """One write of a streamed answer; `counts` tells that it carries content (for `hang_up_after`)."""

    data: bytes
    counts: bool = True


def _words(reply: Text) -> list[str]:
    if reply.pieces is not None:
        return list(reply.pieces)
    return re.findall(r"\s*\S+\s*$|\s*\S+", reply.text or "") or ([reply.text] if reply.text else [])


def _fragments(arguments: str, count: int) -> list[str]:
    size = max(1, -(-len(arguments) // max(1, count)))
    return [arguments[i : i + size] for i in range(0, len(arguments), size)] or [""]


def _sse(event: dict[str, Any], name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(event, separators=(',', ':'))}\n\n".encode()


class OpenAI:
    """OpenAI's chat completions."""

    stream_type = "text/event-stream"

    @staticmethod
    def _n(request: Recorded) -> int:
        n = request.json.get("n") if isinstance(request.json, dict) else 1
        return n if isinstance(n, int) and n > 0 else 1

    def body(self, reply: Text | ToolCalls, request: Recorded) -> dict[str, Any]:
        if isinstance(reply, ToolCalls):
            calls = [_call(*c) for c in reply.calls]
            message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
            reason = "tool_calls"
        else:
            message = {"role": "assistant", "content": reply.text, **reply.message}
            reason = reply.finish_reason
        choices = [{"index": i, "finish_reason": reason, "message": message} for i in range(self._n(request))]
        return {
            "id": f"chatcmpl-{next(_ids)}",
            "object": "chat.completion",
            "created": int(request.wall),
            "model": request.json.get("model", "scripted"),
            "choices": choices,
            "usage": dict(reply.usage or _USAGE),
        }

    def stream(self, reply: Text | ToolCalls, request: Recorded) -> Iterator[Piece]:
        base = {
            "id": f"chatcmpl-{next(_ids)}",
            "object": "chat.completion.chunk",
            "created": int(request.wall),
            "model": request.json.get("model", "scripted"),
        }

        def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
            choices = [{"index": i, "delta": delta, "finish_reason": reason} for i in range(self._n(request))]
            return _sse({**base, "choices": choices})

        yield Piece(chunk({"role": "assistant", "content": None if isinstance(reply, ToolCalls) else ""}), False)
        if isinstance(reply, ToolCalls):
            for index, (call_id, name, arguments) in enumerate(reply.calls):
                head = {"index": index, "id": call_id, "type": "function"}
                function = {"name": name, "arguments": ""}
                yield Piece(chunk({"tool_calls": [{**head, "function": function}]}))
                for fragment in _fragments(arguments, reply.fragments):
                    yield Piece(chunk({"tool_calls": [{"index": index, "function": {"arguments": fragment}}]}))
            yield Piece(chunk({}, "tool_calls"), False)
        else:
            if reply.message:
                yield Piece(chunk(dict(reply.message)), False)
            for word in _words(reply):
                yield Piece(chunk({"content": word}))
            yield Piece(chunk({}, reply.finish_reason), False)
        if (request.json.get("stream_options") or {}).get("include_usage"):
            yield Piece(_sse({**base, "choices": [], "usage": dict(reply.usage or _USAGE)}), False)
        yield Piece(b"data: [DONE]\n\n", False)


def _call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


class Anthropic:
    """Anthropic's messages."""

    stream_type = "text/event-stream"

    @staticmethod
    def _usage(reply: Text | ToolCalls) -> dict[str, Any]:
        return dict(reply.usage or {"input_tokens": 9, "output_tokens": 2})

    def body(self, reply: Text | ToolCalls, request: Recorded) -> dict[str, Any]:
        content: list[dict[str, Any]]
        if isinstance(reply, ToolCalls):
            content = [{"type": "tool_use", "id": i, "name": n, "input": json.loads(a)} for i, n, a in reply.calls]
            reason = "tool_use"
        else:
            content, reason = [{"type": "text", "text": reply.text or ""}], "end_turn"
        return {
            "id": f"msg_{next(_ids)}",
            "type": "message",
            "role": "assistant",
            "model": request.json.get("model", "scripted"),
            "content": content,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": self._usage(reply),
        }

    def stream(self, reply: Text | ToolCalls, request: Recorded) -> Iterator[Piece]:
        body, usage = self.body(reply, request), self._usage(reply)

        def event(kind: str, **rest: Any) -> bytes:
            return _sse({"type": kind, **rest}, kind)

        start_usage = {"input_tokens": usage["input_tokens"], "output_tokens": 1}
        yield Piece(event("message_start", message={**body, "content": [], "usage": start_usage}), False)
        for index, block in enumerate(body["content"]):
            empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
            yield Piece(event("content_block_start", index=index, content_block=empty), False)
            if isinstance(reply, ToolCalls):
                for part in _fragments(json.dumps(block["input"]), reply.fragments):
                    delta = {"type": "input_json_delta", "partial_json": part}
                    yield Piece(event("content_block_delta", index=index, delta=delta))
            else:
                for word in _words(reply):
                    delta = {"type": "text_delta", "text": word}
                    yield Piece(event("content_block_delta", index=index, delta=delta))
            yield Piece(event("content_block_stop", index=index), False)
        end = {"stop_reason": body["stop_reason"], "stop_sequence": None}
        yield Piece(event("message_delta", delta=end, usage={"output_tokens": usage["output_tokens"]}), False)
        yield Piece(event("message_stop"), False)


class Ollama:
    """Ollama's chat: one JSON object, or lines of them."""

    stream_type = "application/x-ndjson"

    @staticmethod
    def _counts() -> dict[str, Any]:
        return {"done_reason": "stop", "total_duration": 1, "prompt_eval_count": 9, "eval_count": 2}

    def _message(self, reply: Text | ToolCalls) -> dict[str, Any]:
        if isinstance(reply, ToolCalls):
            calls = [{"function": {"name": n, "arguments": json.loads(a)}} for _, n, a in reply.calls]
            return {"role": "assistant", "content": "", "tool_calls": calls}
        return {"role": "assistant", "content": reply.text or ""}

    def _line(self, request: Recorded, message: dict[str, Any], **rest: Any) -> dict[str, Any]:
        name = request.json.get("model", "scripted")
        return {"model": name, "created_at": "2026-01-01T00:00:00.000000Z", "message": message, **rest}

    def body(self, reply: Text | ToolCalls, request: Recorded) -> dict[str, Any]:
        return self._line(request, self._message(reply), done=True, **self._counts())

    def stream(self, reply: Text | ToolCalls, request: Recorded) -> Iterator[Piece]:
        def line(value: dict[str, Any]) -> bytes:
            return json.dumps(value).encode() + b"\n"

        if isinstance(reply, ToolCalls):
            yield Piece(line(self._line(request, self._message(reply), done=False)))
        else:
            for word in _words(reply):
                yield Piece(line(self._line(request, {"role": "assistant", "content": word}, done=False)))
        last = {"role": "assistant", "content": ""}
        yield Piece(line(self._line(request, last, done=True, **self._counts())), False)


Dialect = OpenAI | Anthropic | Ollama


def dialect_of(path: str) -> Dialect | None:
    """Which provider's words a path speaks; None where it is no chat."""
    plain = path.partition("?")[0]
    if plain.endswith("/chat/completions"):
        return OpenAI()
    if plain.endswith("/messages"):
        return Anthropic()
    if plain.endswith("/api/chat"):
        return Ollama()
    return None


def wants_stream(reply: Reply, request: Recorded, dialect: Dialect) -> bool:
    """Ollama streams unless told not to; the others only when asked."""
    if isinstance(dialect, Ollama):
        return bool(request.json.get("stream", True))
    return request.streams
