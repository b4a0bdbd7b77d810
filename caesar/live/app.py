"""`GET /dashboard/audit/live`: server-sent events for who is logged in, about the profile that they look at."""

from __future__ import annotations

import asyncio
import uuid

from django.conf import settings
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from caesar.chat.db import run_in_db
from caesar.chat.errors import DatabaseAway
from caesar.live import ending
from caesar.live.hub import hub
from caesar.login import sessions

PATH = "/dashboard/audit/live"
# So that a proxy does not take a quiet stream for a dead one, and a client that went is noticed.
BEAT_SECONDS = 20.0
# After that a page comes again by itself, with its session looked at anew.
MOST_SECONDS = 600.0
# A busy log has a page look again once in that time; what happens within it is told at its end.
LEAST_SECONDS = 1.0
MOST_PAGES = 200
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


async def live(scope: Scope, receive: Receive, send: Send) -> None:
    """Says `rows` whenever the person's log has grown, and once at the start."""
    request = Request(scope, receive)
    profile_id, status = None, 403
    if request.method != "GET":
        status = 405
    elif hub.pages >= MOST_PAGES:
        status = 503
    else:
        try:
            profile_id = await run_in_db(_watcher, request.cookies.get(settings.SESSION_COOKIE_NAME, ""))
        except DatabaseAway:
            status = 503
    if profile_id is None:
        await Response(status_code=status)(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await send({"type": "http.response.body", "body": b"retry: 2000\n\n", "more_body": True})
    gone = asyncio.create_task(_gone(receive))
    try:
        async with hub.watching(profile_id) as grown:
            await _tell(grown, gone, send)
    finally:
        gone.cancel()
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _tell(grown: asyncio.Event, gone: asyncio.Task[None], send: Send) -> None:
    end = asyncio.get_running_loop().time() + MOST_SECONDS
    over = asyncio.create_task(ending.begins())
    try:
        while not gone.done() and not over.done() and asyncio.get_running_loop().time() < end:
            changed = asyncio.create_task(grown.wait())
            await asyncio.wait({changed, gone, over}, timeout=BEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
            rows = grown.is_set()
            body = b"event: rows\ndata:\n\n" if rows else b": still here\n\n"
            grown.clear()
            if not gone.done():
                await send({"type": "http.response.body", "body": body, "more_body": True})
            if rows:
                await asyncio.wait({gone, over}, timeout=LEAST_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    finally:
        over.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _watcher(session_key: str) -> uuid.UUID | None:
    """The profile that the session looks at, where somebody is logged in."""
    person = sessions.person(session_key)
    return person.profile.id if person else None
