"""One event loop in a thread of its own, so that workers' threads can wait for asynchronous calls.

There is one way to call a model and it is asynchronous; a blocking twin would be a second one to keep right.
It also bounds the whole call: a server that sends a byte now and then never trips a socket's own time-out.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_owner = 0


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Waits for the coroutine, which runs in the shared loop; cancels it if the wait is broken off."""
    future = asyncio.run_coroutine_threadsafe(coroutine, _running())
    try:
        return future.result()
    finally:
        future.cancel()


async def joined(coroutine: Coroutine[Any, Any, T]) -> T:
    """The same for a caller with an event loop of its own, which is not to be held up by what is read there."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, _running()))


def _running() -> asyncio.AbstractEventLoop:
    global _loop, _owner
    with _lock:
        # A forked child inherits the variable but not the thread.
        if _loop is None or _owner != os.getpid() or _loop.is_closed():
            _loop, _owner = asyncio.new_event_loop(), os.getpid()
            threading.Thread(target=_loop.run_forever, name="models", daemon=True).start()
        return _loop
