"""In front of every route: who is asked for is served here, bodies are bounded, and each request has an id that its
log lines carry."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import structlog
from django.http.request import split_domain_port, validate_host
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caesar.config import HSTS_SECONDS
from memory import tracing

# Between two pieces of a request's body, and for all of it.
STALL_SECONDS = 60.0
BODY_SECONDS = 600.0
# Of a body that is too large, so much is read and thrown away for the client to hear why.
DRAIN_BYTES = 64_000_000
DRAIN_SECONDS = 5.0
SANE_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,100}")
_ALWAYS = ((b"x-content-type-options", b"nosniff"),)
_BY_TLS = ((b"strict-transport-security", b"max-age=%d" % HSTS_SECONDS),)


class Guard:
    """Wraps the whole application."""

    def __init__(self, app: ASGIApp, *, max_bytes: int, hosts: Sequence[str]) -> None:
        self._app = app
        self._hosts = hosts
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        body = Body(scope, receive, self._max_bytes)
        answer = Answer(send, request_id, by_tls=scope.get("scheme") == "https")
        with structlog.contextvars.bound_contextvars(request_id=request_id), _traced(scope, request_id) as span:
            answer.span = span
            if doubled := _doubled(scope):
                await body.drain()
                await answer.refuse(400, "invalid_input", f"The header {doubled} is there more than once.")
                return
            if not self._serves(scope):
                await body.drain()
                await answer.refuse(*_ELSEWHERE)
                return
            if body.declared > self._max_bytes:
                await body.drain()
                await answer.refuse(*self._too_large())
                return
            try:
                await self._app(scope, body.receive, answer.send)
            except Exception:
                if body.wrong is None:
                    raise
            if body.wrong is not None and not answer.started:
                await body.drain()
                await answer.refuse(*(self._too_large() if body.wrong == "large" else _STALLED))

    def _serves(self, scope: Scope) -> bool:
        """Against pages that rebind a name of theirs to this machine."""
        host = next((value for name, value in scope["headers"] if name == b"host"), b"")
        domain, _port = split_domain_port(host.decode("latin-1"))
        return bool(domain) and validate_host(domain, self._hosts)

    def _too_large(self) -> tuple[int, str, str]:
        message = f"A request has at most {self._max_bytes} bytes (CAESAR_MAX_REQUEST_BYTES)."
        return 413, "request_too_large", message


# Of two, one reader takes the first and another joins them: they would act for different people.
_ONCE = (b"authorization", b"x-caesar-profile", b"x-openwebui-user-id")


def _traced(scope: Scope, request_id: str) -> AbstractContextManager[Any]:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    asked = {"http.request.method": scope["method"], "url.path": scope["path"]}
    return tracing.span(f"{scope['method']} request", headers=headers, request_id=request_id, **asked)


def _doubled(scope: Scope) -> str:
    """The header that must not be there twice and is; else empty."""
    names = [name.lower() for name, _ in scope["headers"]]
    return next((name.decode() for name in _ONCE if names.count(name) > 1), "")


_ELSEWHERE = (
    400,
    "host_not_allowed",
    "This host name is not served here; CAESAR_ALLOWED_HOSTS names those that are.",
)
_STALLED = (408, "request_timeout", "The request's body did not arrive in time.")


class Body:
    """A request's body, counted as it comes. To the application a bad one looks as if the client had left."""

    def __init__(self, scope: Scope, receive: Receive, limit: int) -> None:
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"")
        self.declared = int(length) if length.isdigit() else 0
        self.wrong: str | None = None
        self._waits_for_go = headers.get(b"expect", b"").lower() == b"100-continue"
        self._receive = receive
        self._limit = limit
        self._size = 0
        self._whole = False
        self._end = asyncio.get_running_loop().time() + BODY_SECONDS

    async def receive(self) -> Message:
        if self.wrong is not None:
            return {"type": "http.disconnect"}
        if self._whole:
            return await self._receive()
        try:
            patience = min(STALL_SECONDS, self._end - asyncio.get_running_loop().time())
            async with asyncio.timeout(patience):
                message = await self._receive()
        except TimeoutError:
            self.wrong = "stalled"
            return {"type": "http.disconnect"}
        self._count(message)
        if self._size > self._limit:
            self.wrong = "large"
            return {"type": "http.disconnect"}
        return message

    def _count(self, message: Message) -> None:
        self._size += len(message.get("body", b""))
        self._whole = message["type"] != "http.request" or not message.get("more_body", False)

    async def drain(self) -> None:
        """Read on for a while: a client that is still sending would else see a reset instead of the answer."""
        if self._waits_for_go and not self._size:
            return
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                while not self._whole and self._size < self._limit + DRAIN_BYTES:
                    self._count(await self._receive())
        except TimeoutError:
            return


class Answer:
    """The response, with the request's id and what every response says."""

    def __init__(self, send: Send, request_id: str, *, by_tls: bool = False) -> None:
        self.started = False
        self.span: Any = None
        self._send = send
        self._id = (b"x-request-id", request_id.encode("ascii"))
        self._more = (*_ALWAYS, *(_BY_TLS if by_tls else ()))

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            tracing.answered(self.span, message["status"])
            headers = list(message.get("headers", ()))
            said = {name.lower() for name, _ in headers}
            more = [(name, value) for name, value in self._more if name not in said]
            message = {**message, "headers": [*headers, *more, self._id]}
        await self._send(message)

    async def refuse(self, status: int, code: str, message: str) -> None:
        body = json.dumps({"error": {"code": code, "message": message, "type": "invalid_request_error"}}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _request_id(scope: Any) -> str:
    given = next((v for k, v in scope["headers"] if k == b"x-request-id"), b"").decode("latin-1")
    return given if SANE_ID.fullmatch(given) else uuid.uuid4().hex
