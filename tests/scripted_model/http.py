"""Just enough HTTP/1.1 to be a model's server: keep-alive, bodies both ways, and a peer that leaves."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, cast

from tests.scripted_model.recorded import Recorded

_numbers = itertools.count(1)


class PeerGone(Exception):
    """The caller closed its socket before the answer was complete."""


class Connection(asyncio.Protocol):
    """One client connection; answers its requests one after the other by `handle`."""

    def __init__(self, handle: Callable[[Recorded, Connection], Awaitable[None]], live: set[Connection]) -> None:
        self._handle = handle
        self._live = live
        self._buffer = bytearray()
        self._more = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self.gone = asyncio.Event()
        self.number = next(_numbers)

    # asyncio.Protocol -------------------------------------------------------------------------------------
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # No isinstance check: uvloop's transports are no subclass of asyncio.Transport.
        self.transport = cast(asyncio.Transport, transport)
        self._live.add(self)
        self._task = asyncio.get_running_loop().create_task(self._serve())

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._more.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        self._more.set()
        self._drained.set()
        self._live.discard(self)

    def pause_writing(self) -> None:
        self._drained.clear()

    def resume_writing(self) -> None:
        self._drained.set()

    # reading ----------------------------------------------------------------------------------------------
    async def _wait(self) -> None:
        self._more.clear()
        if self.gone.is_set():
            raise PeerGone
        await self._more.wait()
        if self.gone.is_set():
            raise PeerGone

    async def _until(self, mark: bytes) -> bytes:
        while (at := self._buffer.find(mark)) < 0:
            await self._wait()
        found = bytes(self._buffer[:at])
        del self._buffer[: at + len(mark)]
        return found

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            await self._wait()
        found = bytes(self._buffer[:size])
        del self._buffer[:size]
        return found

    async def _body(self, headers: Mapping[str, str]) -> bytes:
        if "chunked" in headers.get("transfer-encoding", ""):
            parts = []
            while size := int((await self._until(b"\r\n")).split(b";")[0], 16):
                parts.append(await self._exactly(size))
                await self._exactly(2)
            await self._until(b"\r\n")
            return b"".join(parts)
        return await self._exactly(int(headers.get("content-length", "0")))

    async def _serve(self) -> None:
        try:
            while True:
                head = (await self._until(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, target, _ = head[0].split(" ", 2)
                headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:])}
                body = await self._body(headers)
                try:
                    parsed: Any = json.loads(body) if body else None
                except ValueError:
                    parsed = None
                now = time.monotonic()
                request = Recorded(method, target, headers, body, parsed, now, time.time(), self.number)
                try:
                    await self._handle(request, self)
                except PeerGone:
                    request.closed_at = time.monotonic()
                    raise
                request.done_at = time.monotonic()
        except PeerGone:
            pass
        finally:
            self.transport.close()

    # writing ----------------------------------------------------------------------------------------------
    async def write(self, data: bytes) -> None:
        if self.gone.is_set():
            raise PeerGone
        self.transport.write(data)
        await self._drained.wait()
        if self.gone.is_set():
            raise PeerGone

    async def sleep(self, seconds: float) -> None:
        """Waits, and raises at once when the peer leaves meanwhile. Zero still lets others run."""
        if seconds <= 0:
            await asyncio.sleep(0)
            if self.gone.is_set():
                raise PeerGone
            return
        try:
            await asyncio.wait_for(self.gone.wait(), seconds)
        except TimeoutError:
            return
        raise PeerGone

    async def forever(self) -> None:
        await self.gone.wait()
        raise PeerGone

    def abort(self) -> None:
        """Hangs up as a crashed server does."""
        self.transport.abort()

    def _head(self, status: int, headers: Mapping[str, str]) -> bytes:
        try:
            phrase = HTTPStatus(status).phrase
        except ValueError:
            phrase = "Unknown"
        lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    async def respond(self, status: int, body: bytes, *, content_type: str, headers: Mapping[str, str]) -> None:
        given = {"content-type": content_type, "content-length": str(len(body)), **headers}
        await self.write(self._head(status, given) + body)

    async def start_chunked(self, *, content_type: str, headers: Mapping[str, str]) -> None:
        given = {"content-type": content_type, "transfer-encoding": "chunked", **headers}
        await self.write(self._head(200, given))

    async def chunk(self, data: bytes) -> None:
        await self.write(b"%x\r\n%s\r\n" % (len(data), data))

    async def end_chunked(self) -> None:
        await self.write(b"0\r\n\r\n")
