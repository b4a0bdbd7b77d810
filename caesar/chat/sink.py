"""The client's end of an event stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import Send

from caesar.chat import wire
from caesar.chat.leaving import ClientLeft

KEEP_ALIVE_SECONDS = 15.0
# A client that takes nothing for so long has left without saying so.
SEND_SECONDS = 60.0
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]


class Sink:
    """Sends nothing, not even the status, before there is something to send: until then an error can have its own."""

    def __init__(self, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self.started = False
        self._send = send
        self._headers = [*HEADERS, *headers]
        self._lock = asyncio.Lock()
        self._sent_at = asyncio.get_running_loop().time()

    async def event(self, value: Any) -> None:
        await self.write(b"data: " + wire.dumps(value) + b"\n\n")

    async def done(self) -> None:
        """The end of an answer that is complete."""
        await self.write(b"data: [DONE]\n\n", more=False)

    async def write(self, data: bytes, *, more: bool = True) -> None:
        try:
            async with self._lock, asyncio.timeout(SEND_SECONDS):
                if not self.started:
                    self.started = True
                    await self._send({"type": "http.response.start", "status": 200, "headers": self._headers})
                await self._send({"type": "http.response.body", "body": data, "more_body": more})
        except TimeoutError:
            raise ClientLeft from None
        self._sent_at = asyncio.get_running_loop().time()

    @asynccontextmanager
    async def kept_alive(self) -> AsyncIterator[None]:
        """While inside, a comment is sent whenever nothing else was for a while."""
        task = asyncio.create_task(self._keep_alive())
        try:
            yield
        finally:
            task.cancel()
            # What went wrong in there goes wrong at the next piece too, and is told then.
            await asyncio.gather(task, return_exceptions=True)

    async def _keep_alive(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            idle = loop.time() - self._sent_at
            if idle >= KEEP_ALIVE_SECONDS:
                await self.write(b": keep-alive\n\n")
                idle = 0.0
            await asyncio.sleep(KEEP_ALIVE_SECONDS - idle)
