"""When a model is offered the tool, and when a request leaves as it came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from caesar.chat.tool_offer import leaves_room
from memory import semantic_tool
from memory.llm.routing import Route
from tests import server
from tests.caesar.chat.looking import row, rows, said, stream, user
from tests.caesar.chat.tools.conftest import ON
from tests.caesar.chat.tools.saying import WEATHER, offered, searches
from tests.scripted_model import ScriptedModel
from tests.server import Web

if TYPE_CHECKING:
    from tests.people import Person

HI = {"messages": [user("Hi")]}
OURS = {"type": "function", "function": {"name": semantic_tool.NAME}}


@pytest.mark.parametrize("path", ["/v1/chat", "/v1/chat/completions"])
def test_it_offers_the_tool_in_each_chat(http: httpx.Client, model: ScriptedModel, path: str) -> None:
    assert http.post(path, json=HI).status_code == 200
    assert model.requests[0].json["tools"] == [semantic_tool.DEFINITION]
    assert "tool_choice" not in model.requests[0].json
    assert row()["tool_rounds"] == 0
    assert row()["passages"] == []


@pytest.mark.parametrize("streamed", [False, True])
def test_it_leaves_the_clients_own_tools_as_they_are_and_before(
    http: httpx.Client, model: ScriptedModel, streamed: bool
) -> None:
    other = {"type": "function", "function": {"name": "clock"}, "x_future": 1}
    body = {**HI, "tools": [WEATHER, other], "tool_choice": "auto", "parallel_tool_calls": False, "stream": streamed}
    assert http.post("/v1/chat/completions", json=body).status_code == 200
    sent = model.requests[0].json
    assert sent["tools"] == [WEATHER, other, semantic_tool.DEFINITION]
    assert (sent["tool_choice"], sent["parallel_tool_calls"]) == ("auto", False)


ROUTES = {True: Route("openai", "m"), False: Route("anthropic", "m")}


@pytest.mark.parametrize(
    ("body", "room"),
    [
        ({}, True),
        ({"tools": None, "tool_choice": None, "n": None, "response_format": None}, True),
        ({"tools": [WEATHER], "tool_choice": "auto", "n": 1, "response_format": {"type": "text"}}, True),
        ({"tools": [WEATHER], "tool_choice": "none"}, False),
        ({"tools": [WEATHER], "tool_choice": "required"}, False),
        ({"tools": [WEATHER], "tool_choice": {"type": "function", "function": {"name": "weather"}}}, False),
        ({"tools": [WEATHER, OURS]}, False),
        ({"tools": "weather"}, False),
        ({"tools": [None, 1, {"function": 2}]}, True),
        ({"n": 2}, False),
        ({"response_format": {"type": "json_object"}}, False),
        ({"functions": [{"name": "weather"}]}, False),
        ({"prediction": {"type": "content", "content": "x"}}, False),
    ],
)
@pytest.mark.parametrize("openai", [True, False])
def test_it_leaves_requests_alone_that_are_no_good_with_one_more_tool(
    body: dict[str, Any], room: bool, openai: bool
) -> None:
    assert leaves_room(body, ROUTES[openai]) is room


def test_it_leaves_requests_alone_that_ask_for_thought_that_cannot_be_handed_back() -> None:
    assert leaves_room({"reasoning_effort": "low"}, ROUTES[True])
    assert not leaves_room({"reasoning_effort": "low"}, ROUTES[False])
    assert not leaves_room({"thinking": {"type": "enabled"}}, ROUTES[False])


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "extra",
    [
        {"tools": [WEATHER], "tool_choice": "required"},
        {"tools": [OURS]},
        {"response_format": {"type": "json_object"}},
        {"caesar": {"memory": "off"}},
    ],
)
def test_what_it_does_not_offer_leaves_as_without_the_tool(
    http: httpx.Client, model: ScriptedModel, extra: dict[str, Any], streamed: bool
) -> None:
    model.reply(searches())
    answer = http.post("/v1/chat/completions", json={**HI, **extra, "stream": streamed})
    assert semantic_tool.NAME in answer.text
    (request,) = model.requests
    assert semantic_tool.NAME not in offered(request) or request.json["tools"] == [OURS]
    theirs = {name: value for name, value in extra.items() if name != "caesar"}
    assert {k: v for k, v in request.json.items() if k not in ("model", "stream", "stream_options")} == {**HI, **theirs}
    assert "tool_rounds" not in row()


def test_it_is_not_offered_to_a_person_without_memory(web: Any, model: ScriptedModel) -> None:
    from tests.people import person

    carl = person("carl", memory=False)
    with httpx.Client(base_url=web.url, headers=carl.auth, timeout=30) as http:
        stream(http, **HI)
        http.post("/v1/chat", json=HI)
    assert [offered(request) for request in model.requests] == [[], []]


def test_without_a_language_model_nothing_changes(anna: Person) -> None:
    with (
        server.running(ON) as web,
        httpx.Client(base_url=web.url, headers=anna.auth, timeout=30) as http,
    ):
        assert http.post("/v1/chat", json=HI).status_code == 200
        _, chunks = stream(http, **HI)
    assert chunks[-1] == "[DONE]"
    assert [(said(r.payload)[0], "tool_rounds" in r.payload) for r in rows()] == [(("user", "Hi"), False)] * 2


def test_where_the_operator_did_not_ask_for_it_a_request_leaves_byte_for_byte_as_it_did(
    plain_web: Web, model: ScriptedModel, anna: Person
) -> None:
    body = {**HI, "tools": [WEATHER], "temperature": 0.5}
    with httpx.Client(base_url=plain_web.url, headers=anna.auth, timeout=30) as http:
        http.post("/v1/chat/completions", json=body)
        stream(http, **body)
    plain, streamed = (request.body for request in model.requests)
    head, rest = (
        b'{"model":"scripted-1","messages":[{"role":"user","content":"Hi"}],"stream":',
        b',"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":'
        b'{"city":{"type":"string"}}}}}],"temperature":0.5',
    )
    assert plain == head + b"false" + rest + b"}"
    assert streamed == head + b"true" + rest + b',"stream_options":{"include_usage":true}}'
    assert all("tool_rounds" not in r.payload for r in rows())
