"""People who chat, and their clients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import openai
import pytest

from tests.server import Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres
    from tests.people import Person


@pytest.fixture
def anna(database: Postgres) -> Person:
    """Memory on, an app's key."""
    from tests.people import person

    return person("anna")


@pytest.fixture
def bert(database: Postgres) -> Person:
    """Memory on, a key that is bound to his profile."""
    from tests.people import person

    return person("bert", app_key=False)


@pytest.fixture
def http(web: Web, anna: Person) -> Iterator[httpx.Client]:
    """Anna's client."""
    with httpx.Client(base_url=web.url, headers=anna.auth, timeout=30) as client:
        yield client


@pytest.fixture
def client(web: Web, anna: Person) -> Iterator[openai.OpenAI]:
    """The official client, pointed at us, with Anna's key."""
    with openai.OpenAI(base_url=web.openai_url, api_key=anna.key, max_retries=0, timeout=30) as client:
        yield client
