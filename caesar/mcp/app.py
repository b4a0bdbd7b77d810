"""`/mcp`: the protocol over streamable HTTP, for whoever has a key. No session is kept: any web process may answer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from caesar import access
from caesar.chat import errors
from caesar.chat.db import run_in_db
from caesar.chat.outcome import log
from memory.models import Profile

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
_caller: ContextVar[Profile] = ContextVar("mcp_caller")


async def speak(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request."""
    request = Request(scope, receive)
    try:
        if request.method != "POST":
            raise errors.MethodNotAllowed
        profile = await run_in_db(
            _profile,
            request.headers.get("authorization"),
            request.headers.get("x-caesar-profile"),
            request.headers.get(access.USER_HEADER),
            request.client.host if request.client else "",
        )
        manager = await _running.manager()
    except Exception as error:
        log(error)
        response: Response = errors.response_of(error)
        await response(scope, receive, send)
        return
    _caller.set(profile)
    await manager.handle_request(scope, receive, send)


def _profile(authorization: str | None, named: str | None, user: str | None, address: str) -> Profile:
    return access.profile_of(access.identify(authorization, address), named, user)


async def _whose() -> Profile:
    return _caller.get()


class _Running:
    """The SDK's server. Loaded when it is first asked for: most installations never are."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._task: asyncio.Task[None] | None = None
        self._end = asyncio.Event()

    async def manager(self) -> StreamableHTTPSessionManager:
        async with self._lock:
            if self._manager is None:
                made = await asyncio.to_thread(_made)
                ready = asyncio.Event()
                self._task = asyncio.create_task(self._run(made, ready))
                await ready.wait()
                self._manager = made
        return self._manager

    async def _run(self, manager: StreamableHTTPSessionManager, ready: asyncio.Event) -> None:
        # In one task from its beginning to its end, as its task group needs it.
        async with manager.run():
            ready.set()
            await self._end.wait()

    async def stop(self) -> None:
        self._end.set()
        if self._task is not None:
            with suppress(asyncio.CancelledError):
                await self._task


def _made() -> StreamableHTTPSessionManager:
    from mcp.server.transport_security import TransportSecuritySettings

    from caesar.mcp.server import made

    server = made(_whose, run_in_db)
    # Hosts, origins and sizes are looked at for all routes alike, before this one.
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server.streamable_http_app(json_response=True, stateless_http=True, transport_security=unchecked)
    return server.session_manager


_running = _Running()


async def close() -> None:
    """Ends what runs; for the end of the process."""
    await _running.stop()
