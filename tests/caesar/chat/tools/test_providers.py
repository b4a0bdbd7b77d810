"""Providers that take no tools, that take ours but not what comes of it, and those that speak in their own words."""

from __future__ import annotations

import asyncio
import itertools
import uuid
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from caesar.chat import request, tool_loop, turn
from memory import chats, recall, semantic_tool
from memory.llm.gateway import ChatRequest
from memory.llm.routing import Route
from tests.caesar.chat.looking import row, rows, said, stream, text_of, user
from tests.caesar.chat.tools.saying import WEATHER, offered, results, searches
from tests.scripted_model import Recorded, ScriptedModel, Status, Text

ASKED = {"messages": [user("Who won back then?")]}
NAMED = [semantic_tool.NAME]
_numbers = itertools.count()


@pytest.fixture
def unknown() -> str:
    """A model of which the process does not know yet what it takes."""
    return f"openai/unknown-{next(_numbers)}"


def answer(http: httpx.Client, streamed: bool, **body: Any) -> str:
    if streamed:
        response, chunks = stream(http, **ASKED, **body)
        assert response.status_code == 200
        assert chunks[-1] == "[DONE]"
        return text_of(chunks)
    found = http.post("/v1/chat/completions", json={**ASKED, **body}).raise_for_status().json()
    return str(found["choices"][0]["message"]["content"])


def tools_refused(request: Recorded) -> bool:
    return "tools" in request.json


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "refusal", [Status(400, "Unrecognized request argument: tools"), Status(500, "tools param requires --jinja flag")]
)
def test_a_model_that_takes_no_tools_is_asked_without_and_from_then_on_at_once(
    http: httpx.Client, model: ScriptedModel, unknown: str, refusal: Status, streamed: bool
) -> None:
    model.on(tools_refused, refusal).reply("Fine.")
    assert answer(http, streamed, model=unknown) == "Fine."
    before = len(model.requests)
    assert offered(model.requests[0]) == NAMED
    assert "tools" not in model.requests[-1].json
    assert answer(http, streamed, model=unknown) == "Fine."
    assert len(model.requests) == before + 1
    assert "tools" not in model.requests[-1].json
    assert [said(r.payload)[-1] for r in rows()] == [("assistant", "Fine.")] * 2


def test_a_request_that_is_refused_either_way_says_so_and_proves_nothing(
    http: httpx.Client, model: ScriptedModel, unknown: str
) -> None:
    model.script([Status(400, "too long"), Status(400, "too long"), "Fine."])
    refused = http.post("/v1/chat", json={**ASKED, "model": unknown})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "model_refused_request")
    assert answer(http, False, model=unknown) == "Fine."
    assert [offered(request) for request in model.requests] == [NAMED, [], NAMED]


def test_a_model_that_is_known_to_take_tools_is_not_asked_twice(http: httpx.Client, model: ScriptedModel) -> None:
    model.script(["Fine.", Status(400, "too long")])
    answer(http, False)
    assert http.post("/v1/chat", json=ASKED).status_code == 400
    assert len(model.requests) == 2


@pytest.mark.parametrize("streamed", [False, True])
def test_a_model_that_takes_no_results_is_asked_as_if_it_had_not_looked(
    http: httpx.Client, model: ScriptedModel, streamed: bool
) -> None:
    model.on(lambda r: bool(results(r)), Status(400, "no tool messages here"))
    model.script([searches(), "I do not know."])
    assert answer(http, streamed, tools=[WEATHER]) == "I do not know."
    assert model.requests[-1].json["tools"] == [WEATHER]
    assert model.requests[-1].messages == ASKED["messages"]
    assert row()["passages"] == []
    model.reply("Fine.")
    answer(http, streamed)
    assert offered(model.requests[-1]) == NAMED


@pytest.mark.parametrize("streamed", [False, True])
def test_a_clients_own_tools_are_tried_before_anything_is_concluded(
    http: httpx.Client, model: ScriptedModel, unknown: str, streamed: bool
) -> None:
    model.on(tools_refused, Status(400, "no tools")).reply("Fine.")
    body = {**ASKED, "model": unknown, "stream": streamed, "tools": [WEATHER]}
    assert http.post("/v1/chat/completions", json=body).status_code == 400
    assert model.requests[-1].json["tools"] == [WEATHER]
    assert rows() == []


def named(asked: Recorded) -> list[str]:
    return [tool.get("name") or tool["function"]["name"] for tool in asked.json.get("tools") or ()]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", ["anthropic/claude-haiku-4-5", "ollama/llama3.1:8b"])
def test_it_works_in_other_providers_words(http: httpx.Client, model: ScriptedModel, name: str, streamed: bool) -> None:
    model.reply(lambda r: searches() if semantic_tool.NAME in named(r) else Text("I give up."))
    assert answer(http, streamed, model=name) == "I give up."
    asked = [request for request in model.requests if request.messages]  # litellm asks Ollama what it can, too
    assert [semantic_tool.NAME in named(request) for request in asked] == [True, True, True, False]
    told = [request.body.count(semantic_tool.NOTHING.text.encode()) for request in asked]
    assert told == [0, 1, 2, 3]
    assert (row()["tool_rounds"], row()["usage"]["output_tokens"]) == (3, 8)


def test_a_chat_that_has_taken_long_is_not_made_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = chats.Turn(uuid.uuid4(), uuid.uuid4(), "general", 1, datetime.now(UTC), uuid.uuid4(), recall.NOTHING, None)
    opened = turn.Opened(request.native(ASKED), asked, Route("openai", "m", timeout_seconds=3))
    sent: list[ChatRequest] = []

    async def call(given: ChatRequest) -> None:
        sent.append(given)

    async def chat() -> None:
        for now in (0.0, 2.9, 3.1):
            monkeypatch.setattr(tool_loop, "time", SimpleNamespace(monotonic=lambda now=now: now))
            await rounds.ask(call)

    monkeypatch.setattr(tool_loop, "time", SimpleNamespace(monotonic=lambda: 0.0))
    rounds = tool_loop.Rounds(opened)
    asyncio.run(chat())
    assert ["tools" in given.body for given in sent] == [True, True, False]
