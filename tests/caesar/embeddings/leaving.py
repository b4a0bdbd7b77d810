"""A client that sends its request and goes before it is answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

Body = dict[str, Any]


async def leave(
    app: Any, path: str, headers: dict[str, str], when: Callable[[], bool], body: Body | None = None
) -> list[Any]:
    """What it was sent until then. Returns when the application has ended."""
    sent: list[Any] = []
    asked = iter([{"type": "http.request", "body": json.dumps(body or {"input": "a text"}).encode()}])

    async def receive() -> Any:
        for message in asked:
            return message
        while not when():
            await asyncio.sleep(0.005)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }
    await app(scope, receive, send)
    return sent
