"""Who does not finish asking is hung up on; who waits for an answer is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from caesar import protocol

ASKED = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEADER_SECONDS", 0.3)


async def slow(scope: Any, receive: Any, send: Any) -> None:
    """Answers a second after it has heard all."""
    while (await receive()).get("more_body"):
        pass
    await asyncio.sleep(1)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def client() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    config = uvicorn.Config(
        slow, http=protocol.Protocol, port=0, lifespan="off", log_level="critical", timeout_keep_alive=60
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        server.should_exit = True
        await serving


def play(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(story, 20))


async def drip(writer: asyncio.StreamWriter, pieces: list[bytes]) -> None:
    for piece in pieces:
        if writer.is_closing():
            return
        writer.write(piece)
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("first", [b"", b"POST / HT", b"POST / HTTP/1.1\r\nHost: x\r\nX-A: "])
def test_it_hangs_up_on_who_never_comes_to_an_end_of_the_headers(first: bytes) -> None:
    async def story() -> None:
        async with client() as (reader, writer):
            writer.write(first)
            dripping = asyncio.create_task(drip(writer, [b"x"] * 100 if first else []))
            assert await reader.read() == b""
            dripping.cancel()

    play(story())


def test_it_waits_for_a_body_and_for_an_answer() -> None:
    async def story() -> None:
        async with client() as (reader, writer):
            await drip(writer, [ASKED, b"b", b"", b"", b"", b"", b"o", b"dy"])
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            assert await reader.readexactly(2) == b"ok"

    play(story())


def test_it_hangs_up_in_the_middle_of_a_second_request() -> None:
    async def story() -> None:
        async with client() as (reader, writer):
            writer.write(ASKED + b"body")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            assert await reader.readexactly(2) == b"ok"
            await asyncio.sleep(0.6)  # between two requests it is uvicorn's own patience that counts
            await drip(writer, [b"POST / HTTP", b"/1.1\r\n"])
            assert await reader.read() == b""

    play(story())
