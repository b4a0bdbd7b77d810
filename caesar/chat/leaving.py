"""Notices at once when a client hangs up, and ends the work that was done for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.types import Receive

T = TypeVar("T")


class ClientLeft(Exception):
    """The client closed its connection before it had its answer."""


async def unless_client_leaves(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """The work's result. Where the client leaves first, the work is cancelled, given the time to clean up, and
    ClientLeft is raised. Call when the request's body has been read."""
    task = asyncio.create_task(work)
    gone = asyncio.create_task(_gone(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        if not task.done():
            task.cancel()
        await asyncio.wait({task, gone})
    if task.cancelled():
        raise ClientLeft
    return task.result()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
