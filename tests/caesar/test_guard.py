"""Bodies that do not arrive."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from caesar import guard


async def echo(scope: Any, receive: Any, send: Any) -> None:
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def asked(pieces: list[tuple[float, bytes]]) -> tuple[int, Any]:
    """What is answered to a body whose pieces come after so many seconds each; then nothing comes."""
    sent: list[Any] = []

    async def play() -> None:
        coming = iter(pieces)

        async def receive() -> Any:
            pause, body = next(coming, (60.0, b""))
            await asyncio.sleep(pause)
            return {"type": "http.request", "body": body, "more_body": body != b""}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/",
            "headers": [(b"host", b"localhost"), (b"content-length", b"5")],
        }
        await guard.Guard(echo, max_bytes=100, hosts=["localhost"])(scope, receive, send)

    asyncio.run(asyncio.wait_for(play(), 20))
    body = b"".join(m.get("body", b"") for m in sent)
    return sent[0]["status"], json.loads(body)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "STALL_SECONDS", 0.3)
    monkeypatch.setattr(guard, "BODY_SECONDS", 1.0)
    monkeypatch.setattr(guard, "DRAIN_SECONDS", 0.1)


def test_it_takes_a_body_that_comes_in_pieces() -> None:
    assert asked([(0.1, b"ab"), (0.1, b"cde"), (0.0, b"")]) == (200, 5)


@pytest.mark.parametrize("pieces", [[], [(0.0, b"a")], [(0.15, b"a")] * 50], ids=["silent", "stalled", "dripping"])
def test_it_says_that_a_body_did_not_arrive_in_time(pieces: list[tuple[float, bytes]]) -> None:
    status, said = asked(pieces)
    assert (status, said["error"]["code"]) == (408, "request_timeout")


def test_it_says_that_a_body_is_too_large() -> None:
    status, said = asked([(0.0, b"x" * 60), (0.0, b"x" * 60), (0.0, b"")])
    assert (status, said["error"]["code"]) == (413, "request_too_large")
