"""Streams in which the model looks something up: what passes on at once, what is held, what breaks."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

from memory import semantic_tool
from tests.caesar.chat.looking import events, row, rows, said, stream, text_of, user, within
from tests.caesar.chat.tools.saying import LENS, WEATHER, call_piece, calls_of, pieces, search, searches
from tests.scripted_model import Hang, ScriptedModel, Status, Text, ToolCalls
from tests.server import Web

ASKED = {"messages": [user("Who won back then?")]}
SAID = [{"role": "assistant", "content": ""}, {"content": "Let me "}, {"content": "see."}]


def test_text_passes_on_at_once_and_the_stream_goes_on_after_the_search(
    http: httpx.Client, model: ScriptedModel
) -> None:
    called = call_piece(0, call_id="s1", name=semantic_tool.NAME, arguments='{"query": "x"}')
    slow = Text(pieces=["Kes", "trel"], interval=0.3)
    model.script([pieces([*SAID, called], interval=0.1), slow])
    seen: list[tuple[str, float]] = []
    with http.stream("POST", "/v1/chat/completions", json={**ASKED, "stream": True}) as response:
        for line in response.iter_lines():
            seen += [(text, time.monotonic()) for text in [text_of(events([line]))] if text]
    assert [text for text, _ in seen] == ["Let me ", "see.", "\n\nKes", "trel"]
    assert seen[0][1] < seen[2][1] - 0.2
    assert seen[2][1] < seen[3][1] - 0.2
    assert said(row())[-1] == ("assistant", "Let me see.\n\nKestrel")


def test_a_clients_call_passes_on_piece_by_piece_and_keeps_its_form(http: httpx.Client, model: ScriptedModel) -> None:
    model.reply(ToolCalls([search(), ("w1", "weather", LENS)], fragments=4, interval=0.02))
    _, chunks = stream(http, tools=[WEATHER], **ASKED)
    given = [c["choices"][0]["delta"]["tool_calls"] for c in chunks[:-1] if c["choices"][0]["delta"].get("tool_calls")]
    assert len(given) == 5
    assert all(len(each) == 1 for each in given)
    assert given[0][0] == {"index": 0, "id": "w1", "type": "function", "function": {"name": "weather", "arguments": ""}}
    assert calls_of(chunks) == {0: {"id": "w1", "name": "weather", "arguments": LENS}}


def test_a_clients_call_before_ours_passes_on_before_ours_is_known(http: httpx.Client, model: ScriptedModel) -> None:
    model.reply(
        pieces(
            [
                call_piece(0, call_id="w1", name="weather", arguments=LENS),
                call_piece(1, call_id="s1", name=semantic_tool.NAME, arguments='{"query": "x"}'),
                call_piece(2, call_id="w2", name="weather", arguments=LENS),
            ]
        )
    )
    _, chunks = stream(http, tools=[WEATHER], **ASKED)
    assert [call["id"] for call in calls_of(chunks).values()] == ["w1", "w2"]
    assert list(calls_of(chunks)) == [0, 1]
    assert chunks[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert len(model.requests) == 1


def test_a_search_that_the_provider_does_not_call_a_tool_call_at_its_end_is_one(
    http: httpx.Client, model: ScriptedModel
) -> None:
    called = call_piece(0, call_id="s1", name=semantic_tool.NAME, arguments='{"query": "x"}')
    model.script([pieces([called], reason="stop"), "Kestrel."])
    _, chunks = stream(http, **ASKED)
    assert text_of(chunks) == "Kestrel."
    assert [c["choices"][0]["finish_reason"] for c in chunks[:-1]].count("stop") == 1


def test_calls_without_a_name_or_a_number_reach_whom_they_are_for(http: httpx.Client, model: ScriptedModel) -> None:
    """Servers that number nothing, cut names into pieces or give no id."""
    cut = [call_piece(0, name="semantic_"), call_piece(0, name="recall", arguments='{"query": "x"}')]
    whole: Any = {"tool_calls": [{"id": "w1", "type": "function", "function": {"name": "weather", "arguments": LENS}}]}
    model.script([pieces(cut), pieces([whole])])
    _, chunks = stream(http, tools=[WEATHER], **ASKED)
    assert calls_of(chunks) == {0: {"id": "w1", "name": "weather", "arguments": LENS}}
    called, result = model.requests[1].messages[-2:]
    assert called["tool_calls"][0]["id"] == result["tool_call_id"] != ""


def test_no_usage_is_given_where_nobody_asked(http: httpx.Client, model: ScriptedModel) -> None:
    model.script([searches(), "Kestrel."])
    _, chunks = stream(http, **ASKED)
    assert not any(chunk.get("usage") for chunk in chunks[:-1])
    assert row()["usage"]["total_tokens"] == 22


@pytest.mark.parametrize("failure", [Status(503), Status(429), Text(pieces=["Kes", "trel"], hang_up_after=1)])
def test_an_error_in_a_later_round_ends_the_stream_and_keeps_what_was_said(
    http: httpx.Client, model: ScriptedModel, failure: Any
) -> None:
    called = call_piece(0, call_id="s1", name=semantic_tool.NAME, arguments='{"query": "x"}')
    model.script([pieces([*SAID, called]), failure])
    with http.stream("POST", "/v1/chat/completions", json={**ASKED, "stream": True}) as response:
        chunks = events(response.iter_lines())
    assert response.status_code == 200
    assert "error" in chunks[-1]
    assert "[DONE]" not in chunks
    payload = row()
    assert said(payload)[-1][1].startswith("Let me see.")
    assert (payload["complete"], payload["tool_rounds"]) == (False, 1)


def test_an_error_before_anything_was_said_has_its_own_status(http: httpx.Client, model: ScriptedModel) -> None:
    model.reply(Status(429, headers={"Retry-After": "7"}))
    response = http.post("/v1/chat/completions", json={"stream": True, **ASKED})
    assert (response.status_code, response.headers["retry-after"]) == (429, "7")
    assert rows() == []


def test_a_client_that_leaves_between_two_rounds_leaves_its_row(web: Web, model: ScriptedModel, anna: Any) -> None:
    called = call_piece(0, call_id="s1", name=semantic_tool.NAME, arguments='{"query": "x"}')
    model.script([pieces([*SAID, called]), Hang()])
    with (
        httpx.Client(base_url=web.url, headers=anna.auth, timeout=30) as http,
        http.stream("POST", "/v1/chat/completions", json={**ASKED, "stream": True}) as response,
    ):
        lines = response.iter_lines()
        while "see." not in next(lines):
            pass
        model.wait_for(lambda m: len(m.requests) == 2)
    model.wait_for(lambda m: m.requests[1].closed_at is not None)
    (recorded,) = within(5, rows)
    assert said(recorded.payload) == [("user", "Who won back then?"), ("assistant", "Let me see.")]
    assert (recorded.payload["complete"], recorded.payload["tool_rounds"]) == (False, 1)


def test_a_client_that_leaves_before_a_word_leaves_nothing(web: Web, model: ScriptedModel, anna: Any) -> None:
    model.script([searches(), Hang()])
    body = {**ASKED, "stream": True}
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{web.url}/v1/chat/completions", headers=anna.auth, json=body, timeout=3)
    model.wait_for(lambda m: len(m.requests) == 2 and m.requests[1].closed_at is not None)
    assert rows() == []
