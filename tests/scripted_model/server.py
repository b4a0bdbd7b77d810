"""The scripted model's event loop: answers chats as scripted and, where asked to, control requests."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from typing import Any

from tests.scripted_model import embeddings
from tests.scripted_model.dialects import Dialect, OpenAI, dialect_of, wants_stream
from tests.scripted_model.http import Connection
from tests.scripted_model.recorded import Recorded
from tests.scripted_model.replies import (
    Body,
    Hang,
    HangUp,
    Raw,
    Reply,
    Sse,
    Status,
    Text,
    ToolCalls,
    Vectors,
    from_json,
)
from tests.scripted_model.script import Script

_JSON = "application/json"


class Server:
    """Serves on loopback. `requests` keeps the newest `record_limit` requests, `counts` counts by path."""

    def __init__(self, *, record_limit: int = 20_000, control: bool = False) -> None:
        self.script = Script()
        self.requests: deque[Recorded] = deque(maxlen=record_limit)
        self.counts: Counter[str] = Counter()
        self.connections: set[Connection] = set()
        self.open_answers = 0
        self.most_open_answers = 0
        self.url = ""
        self._control = control

    async def start(self, port: int = 0) -> int:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self._handle, self.connections), "127.0.0.1", port, backlog=2048
        )
        found: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{found}/v1"
        return found

    async def stop(self) -> None:
        self._server.close()
        for connection in list(self.connections):
            connection.abort()
        await asyncio.sleep(0)

    async def _handle(self, request: Recorded, out: Connection) -> None:
        plain = request.path.partition("?")[0]
        if self._control and plain.startswith("/__"):
            status, answer = self._controlled(plain, request)
            return await out.respond(status, json.dumps(answer).encode(), content_type=_JSON, headers={})
        self.requests.append(request)
        self.counts[plain] += 1
        dialect = OpenAI() if embeddings.serves(plain) else dialect_of(plain)
        if dialect is None or not isinstance(request.json, dict):
            answer = {"error": {"message": f"nothing is scripted at {plain}", "type": "invalid_request_error"}}
            request.status = 404
            return await out.respond(404, json.dumps(answer).encode(), content_type=_JSON, headers={})
        self.open_answers += 1
        self.most_open_answers = max(self.most_open_answers, self.open_answers)
        try:
            await self._answer(self.script.choose(request), request, dialect, out)
        finally:
            self.open_answers -= 1
        return None

    async def _answer(self, reply: Reply, request: Recorded, dialect: Dialect, out: Connection) -> None:
        if reply.delay:
            await out.sleep(reply.delay)
        if isinstance(reply, Hang):
            await out.forever()
        if isinstance(reply, HangUp):
            return out.abort()
        if isinstance(reply, Sse):
            return await self._lines(reply, request, out)
        if isinstance(reply, Text | ToolCalls) and wants_stream(reply, request, dialect):
            return await self._pieces(reply, request, dialect, out)
        content_type = _JSON
        if isinstance(reply, Raw):
            request.status, data, content_type = reply.status, reply.data, reply.content_type
        elif isinstance(reply, Status):
            error = {"message": reply.message, "type": reply.type, "param": None, "code": reply.code}
            request.status, data = reply.status, json.dumps({"type": "error", "error": error}).encode()
        elif isinstance(reply, Body):
            request.status, data = reply.status, json.dumps(reply.body).encode()
        elif isinstance(reply, Vectors):
            request.status, data = 200, json.dumps(embeddings.body(reply, request)).encode()
        else:
            assert isinstance(reply, Text | ToolCalls)
            request.status, data = 200, json.dumps(dialect.body(reply, request)).encode()
        return await out.respond(request.status, data, content_type=content_type, headers=reply.headers)

    async def _lines(self, reply: Sse, request: Recorded, out: Connection) -> None:
        request.status = 200
        await out.start_chunked(content_type="text/event-stream", headers=reply.headers)
        for line in reply.lines:
            await out.chunk(f"{line}\n\n".encode())
            request.sent += 1
            await out.sleep(reply.interval)
        return out.abort() if reply.hang_up else await out.end_chunked()

    async def _pieces(self, reply: Text | ToolCalls, request: Recorded, dialect: Dialect, out: Connection) -> None:
        request.status = 200
        hang_up = getattr(reply, "hang_up_after", None)
        stall = getattr(reply, "stall_after", None)
        await out.start_chunked(content_type=dialect.stream_type, headers=reply.headers)
        for piece in dialect.stream(reply, request):
            if hang_up is not None and request.sent >= hang_up:
                return out.abort()
            if stall is not None and request.sent >= stall:
                await out.forever()
            await out.chunk(piece.data)
            if piece.counts:
                request.sent += 1
                if reply.interval:
                    await out.sleep(reply.interval)
        return await out.end_chunked()

    # control ----------------------------------------------------------------------------------------------
    def _controlled(self, path: str, request: Recorded) -> tuple[int, Any]:
        """`POST /__script` sets replies, `GET /__requests` reads what came, `POST /__reset` forgets both."""
        if path == "/__script":
            try:
                self.load(request.json)
            except (TypeError, ValueError, KeyError, AttributeError) as wrong:
                return 400, {"error": str(wrong)}
            return 200, {"ok": True}
        if path == "/__requests":
            return 200, {
                "counts": dict(self.counts),
                "open": self.open_answers,
                "most_open": self.most_open_answers,
                "requests": [_shown(r) for r in self.requests],
            }
        if path == "/__reset":
            self.script.reset()
            self.requests.clear()
            self.counts.clear()
            self.most_open_answers = 0
            return 200, {"ok": True}
        return 404, {"error": f"no {path}"}

    def load(self, wanted: dict[str, Any]) -> None:
        """Takes `{"default"?, "queue"?: [..], "extraction"?, "embedding"?: reply or [..], "rules"?: [..], "strict"?}`,
        a rule being `{"contains": text, "replies": reply or [..]}`."""
        if "default" in wanted:
            self.script.default(from_json(wanted["default"]))
        self.script.queue([from_json(r) for r in wanted.get("queue", ())])
        if "extraction" in wanted:
            self.script.extraction(_several(wanted["extraction"]))
        if "embedding" in wanted:
            self.script.embedding(_several(wanted["embedding"]))
        for rule in wanted.get("rules", ()):
            self.script.rule(rule["contains"], _several(rule["replies"]))
        if "strict" in wanted:
            self.script.strict = bool(wanted["strict"])


def _several(value: Any) -> list[Reply]:
    return [from_json(v) for v in (value if isinstance(value, list) else [value])]


def _shown(request: Recorded) -> dict[str, Any]:
    names = ("method", "path", "json", "at", "wall", "sent", "status", "closed_at", "done_at")
    return {**{name: getattr(request, name) for name in names}, "headers": dict(request.headers)}
