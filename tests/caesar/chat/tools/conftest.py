"""A web process in which models may look up earlier chats, and something to be found there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from memory.config import Semantic
from tests import server
from tests.caesar.chat.looking import user, within
from tests.scripted_model import ScriptedModel
from tests.server import Web

if TYPE_CHECKING:
    from caesar.embedded.postgres import Postgres

ON = {"CAESAR_SEMANTIC__ENABLED": "true"}
REGATTA = "The regatta was won by Kestrel, and we had mussels at the harbour afterwards."
QUERY = "Who won the regatta?"


@pytest.fixture(scope="session")
def _looking_up(cluster: Postgres, _model: ScriptedModel) -> Iterator[Web]:
    others = {
        "CAESAR_LLM__OLLAMA__BASE_URL": _model.root,
        "CAESAR_LLM__ANTHROPIC__API_KEY": server.UPSTREAM_KEY,
        "CAESAR_LLM__ANTHROPIC__BASE_URL": _model.root,
    }
    with server.running(server.with_model(_model.url) | ON | others) as web:
        yield web


@pytest.fixture
def web(database: Postgres, _looking_up: Web, settings: Any) -> Web:
    """The same as elsewhere, with the tool; passages have an embedder."""
    from memory import embed

    settings.CAESAR = settings.CAESAR.model_copy(update={"semantic": Semantic(provider="onnx", enabled=True)})
    embed.ready()
    return _looking_up


@pytest.fixture
def plain_web(database: Postgres, _web: Web) -> Web:
    """The web process of everybody else's tests: the operator has asked for no such tool."""
    return _web


@pytest.fixture
def regatta(http: httpx.Client, model: ScriptedModel) -> str:
    """The id of the passage in which Anna told of a regatta."""
    from workers import embedding

    http.post("/v1/chat", json={"messages": [user(REGATTA)]}).raise_for_status()
    embedding.drain()

    def found() -> list[Any]:
        # Asked once, the question's vector is at hand, whatever else the machine does.
        asked = http.post("/v1/recall", json={"query": QUERY, "kinds": ["passages"], "k": 5}).raise_for_status().json()
        return [one["id"] for one in asked["results"] if one["text"] == REGATTA]

    passage: str = within(30, found)[0]
    model.reset()
    return passage
