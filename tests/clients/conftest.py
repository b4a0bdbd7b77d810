"""Clients as people use them, pointed at one running web process; a scripted model answers behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
import openai
import pytest

from memory.llm import library
from tests.server import Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres
    from tests.people import Person

EMBEDDER = "local/all-MiniLM-L6-v2"


@pytest.fixture
def anna(database: Postgres) -> Person:
    """Memory on, a dog called Beans, an app's key."""
    from tests.caesar.chat.looking import know
    from tests.people import person

    anna = person("anna")
    know(anna.profile_id, "dog.name", "Beans")
    return anna


@pytest.fixture
def client(web: Web, anna: Person) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=web.openai_url, api_key=anna.key, max_retries=0, timeout=30) as client:
        yield client


@pytest.fixture
def http() -> Iterator[httpx2.Client]:
    """Connections for a client that would else keep its own for as long as the process lives."""
    with openai.DefaultHttpxClient() as http:
        yield http


@pytest.fixture
def litellm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Told to fetch nothing from elsewhere; what it keeps open of a test is closed after it."""
    loaded = library.load()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)  # it makes one where there is none, and leaves it
    made: list[httpx.Client | httpx2.Client] = []
    for kind in (httpx.Client, httpx2.Client):
        monkeypatch.setattr(kind, "__init__", _kept(kind.__init__, made))
    yield loaded
    cache = loaded.in_memory_llm_clients_cache.cache_dict
    for key in [key for key in cache if "is_async=False" in key]:
        cache.pop(key, None)
    for each in made:
        each.close()
    with suppress(RuntimeError):  # it is in use, and whoever uses it closes it
        loop.close()
    asyncio.set_event_loop(None)


def _kept(real: Any, made: list[Any]) -> Any:
    def init(self: Any, *args: Any, **more: Any) -> None:
        real(self, *args, **more)
        made.append(self)

    return init
