"""Knows when the web process is asked to end: open streams would else keep it for as long as it waits for anybody."""

from __future__ import annotations

import asyncio
import signal
import threading
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_ending: asyncio.Event | None = None


async def begins() -> None:
    """Returns once a signal asks the process to end. The server's own handlers go on as before."""
    global _ending
    if _ending is None:
        _ending = asyncio.Event()
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                _hear(number, _ending)
    await _ending.wait()


def _hear(number: signal.Signals, ending: asyncio.Event) -> None:
    before = signal.getsignal(number)
    loop = asyncio.get_running_loop()

    def heard(signum: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(ending.set)
        if callable(before):
            before(signum, frame)

    signal.signal(number, heard)
