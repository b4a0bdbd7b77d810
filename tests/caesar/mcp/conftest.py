"""An assistant that speaks the protocol by the SDK's own client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import httpx2
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from tests.people import Person, person
from tests.server import Web

Talk = Callable[[ClientSession], Coroutine[Any, Any, Any]]


def by_http(web: Web, headers: dict[str, str], talk: Talk) -> Any:
    """What comes of a talk at `/mcp`."""

    async def whole() -> Any:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            streamable_http_client(f"{web.url}/mcp", http_client=http) as (read, write, *_),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return await talk(session)

    return asyncio.run(whole())


@pytest.fixture
def anna(web: Web) -> Person:
    return person("anna")


@pytest.fixture
def bert(web: Web) -> Person:
    return person("bert")
