"""Vectors as OpenAI's response, piece by piece: all of it at once would hold up everybody else for a second."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator

import numpy as np
from starlette.types import Send

from caesar.chat import wire
from caesar.chat.leaving import ClientLeft
from caesar.chat.sink import SEND_SECONDS
from memory.llm.embedding.serving import Served

BASE64 = "base64"
ENCODINGS = ("float", BASE64)
PIECE_BYTES = 64_000
_HEADERS = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]


async def send_all(served: Served, send: Send, *, as_base64: bool) -> None:
    """Raises ClientLeft where nobody takes it."""
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    for piece in _gathered(_parts(served, as_base64=as_base64)):
        await _sent(piece, send, more=True)
        await asyncio.sleep(0)
    await _sent(b"", send, more=False)


async def _sent(piece: bytes, send: Send, *, more: bool) -> None:
    try:
        async with asyncio.timeout(SEND_SECONDS):
            await send({"type": "http.response.body", "body": piece, "more_body": more})
    except TimeoutError:
        raise ClientLeft from None


def _parts(served: Served, *, as_base64: bool) -> Iterator[bytes]:
    yield b'{"object":"list","data":['
    for place, vector in enumerate(served.vectors):
        numbers = _base64(vector) if as_base64 else _numbers(vector)
        comma = b"," if place else b""
        yield b'%b{"object":"embedding","index":%d,"embedding":%b}' % (comma, place, numbers)
    usage = {"prompt_tokens": served.tokens, "total_tokens": served.tokens}
    yield b'],"model":%b,"usage":%b}' % (wire.dumps(served.model), wire.dumps(usage))


def _numbers(vector: np.ndarray) -> bytes:
    """As a list: nine digits say which number of 32 bits it is."""
    return ("[" + ",".join([f"{number:.9g}" for number in vector.tolist()]) + "]").encode()


def _base64(vector: np.ndarray) -> bytes:
    """As OpenAI does: numbers of 32 bits, the low byte first."""
    return b'"%b"' % base64.b64encode(vector.astype("<f4").tobytes())


def _gathered(parts: Iterator[bytes]) -> Iterator[bytes]:
    gathered = bytearray()
    for part in parts:
        gathered += part
        if len(gathered) >= PIECE_BYTES:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)
