"""Answers that come piece by piece."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx
import openai
import pytest

from caesar.chat import request, streaming, turn
from caesar.chat import sink as sinks
from caesar.chat.leaving import ClientLeft
from caesar.chat.sink import Sink
from memory import chats, recall
from memory.chats import Answer
from memory.llm.routing import Route
from tests.caesar.chat.looking import events, know, row, rows, said, stream, text_of, user
from tests.scripted_model import Body, ScriptedModel, Sse, Status, Text

if TYPE_CHECKING:
    from tests.people import Person

HEAD = '{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m",'
USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
ODD = [
    f'data: {HEAD}"choices":[]}}',
    ": keep-alive",
    f'data: {HEAD}"choices":[{{"index":0,"delta":{{"content":"Hel"}},"finish_reason":null}}]}}',
    f'data: {HEAD}"choices":[{{"index":0,"delta":{{"content":"lo"}},"finish_reason":"stop"}}]}}',
    f'data: {HEAD}"choices":[],"usage":{json.dumps(USAGE)}}}',
    "data: [DONE]",
]
BRIGID = [user("Hi, I'm Brigid.")]


def test_it_gives_the_usage_last_where_it_was_asked_for(
    http: httpx.Client, client: openai.OpenAI, model: ScriptedModel
) -> None:
    model.reply(Sse(ODD))
    options: Any = {"include_usage": True}
    response, chunks = stream(http, model="m", stream_options=options, messages=BRIGID)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert chunks[-1] == "[DONE]"
    assert (chunks[-2]["choices"], chunks[-2]["usage"]) == ([], USAGE)
    assert {c["id"] for c in chunks[:-1]} == {"c1"}
    assert all(isinstance(c["choices"], list) for c in chunks[:-1])
    reasons = [choice["finish_reason"] for c in chunks[:-1] for choice in c["choices"]]
    assert [r for r in reasons if r] == ["stop"]
    assert said(row())[-1] == ("assistant", "Hello")

    messages: Any = BRIGID
    with client.chat.completions.stream(model="m", messages=messages, stream_options=options) as official:
        answer = official.get_final_completion()
    assert answer.choices[0].message.content == "Hello"
    assert answer.usage is not None
    assert answer.usage.total_tokens == 11


def test_it_gives_no_usage_where_nobody_asked(http: httpx.Client, model: ScriptedModel) -> None:
    model.reply(Sse(ODD))
    _, chunks = stream(http, model="m", messages=BRIGID)
    assert text_of(chunks) == "Hello"
    assert not any(c.get("usage") for c in chunks[:-1])
    assert row()["usage"]["total_tokens"] == 11


def test_it_takes_usage_that_comes_with_the_finish_reason(http: httpx.Client, model: ScriptedModel) -> None:
    end = f'{HEAD}"choices":[{{"index":0,"delta":{{}},"finish_reason":"stop"}}],"usage":{json.dumps(USAGE)}}}'
    model.reply(Sse([*ODD[:3], f"data: {end}", "data: [DONE]"]))
    _, chunks = stream(http, model="m", stream_options={"include_usage": True}, messages=BRIGID)
    assert [c.get("usage") for c in chunks[:-1] if c.get("usage")] == [USAGE]
    assert chunks[-2]["choices"] == []


def test_it_gives_the_usage_of_an_answer_that_is_not_streamed(http: httpx.Client, model: ScriptedModel) -> None:
    message = {"role": "assistant", "content": "Hello"}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    model.reply(
        Body({"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, "usage": USAGE})
    )
    body = http.post("/v1/chat/completions", json={"model": "m", "stream": False, "messages": BRIGID}).json()
    assert body["usage"] == USAGE
    assert said(row())[-1] == ("assistant", "Hello")


def test_it_passes_the_first_piece_on_before_the_last_has_come(http: httpx.Client, model: ScriptedModel) -> None:
    model.reply(Text(pieces=["one", "two", "three", "four"], interval=0.3))
    body = {"stream": True, "messages": [user("Count")]}
    with http.stream("POST", "/v1/chat/completions", json=body) as response:
        lines = response.iter_lines()
        while "one" not in next(lines):
            pass
        assert model.open_answers == 1
        assert text_of(events(lines)) == "twothreefour"


def test_it_writes_the_row_before_the_stream_ends(http: httpx.Client, model: ScriptedModel, anna: Person) -> None:
    fact = know(anna.profile_id, "dog.name", "Beans")
    model.reply(Text("Your dog is Beans."))
    with http.stream("POST", "/v1/chat/completions", json={"stream": True, "messages": [user("Dog?")]}) as response:
        assert response.headers["x-caesar-facts"] == str(fact.id)
        assert response.headers["x-caesar-memory"] == "on"
        for line in response.iter_lines():
            if line == "data: [DONE]":
                payload = row()
                break
    assert payload["streamed"] is True
    assert payload["complete"] is True
    assert payload["finish_reason"] == "stop"
    assert said(payload) == [("user", "Dog?"), ("assistant", "Your dog is Beans.")]
    (recorded,) = rows()
    assert response.headers["x-caesar-audit-id"] == str(recorded.id)


def test_it_passes_emoji_on_that_a_provider_cuts_in_half(http: httpx.Client, model: ScriptedModel) -> None:
    halves = [
        f'data: {HEAD}"choices":[{{"index":0,"delta":{{"content":"{half}"}},"finish_reason":null}}]}}'
        for half in ("\\ud83d", "\\ude00")
    ]
    model.reply(Sse([*halves, "data: [DONE]"]))
    _, chunks = stream(http, messages=[user("Hi")])
    assert text_of(chunks).encode("utf-16", "surrogatepass").decode("utf-16") == "\U0001f600"
    assert said(row())[-1] == ("assistant", "\U0001f600")


def test_it_gives_an_error_before_the_first_byte_its_own_status(http: httpx.Client, model: ScriptedModel) -> None:
    model.reply(Status(429, headers={"Retry-After": "7"}))
    response = http.post("/v1/chat/completions", json={"stream": True, "messages": [user("Hi")]})
    assert response.status_code == 429
    assert response.headers["retry-after"] == "7"
    assert response.json()["error"]["code"] == "model_rate_limited"
    assert rows() == []


def test_it_says_so_inside_the_stream_when_the_model_breaks_off(http: httpx.Client, model: ScriptedModel) -> None:
    model.reply(Text(pieces=["one ", "two ", "three"], hang_up_after=2))
    _, chunks = stream(http, messages=[user("Count")])
    assert text_of(chunks[:-1]) == "one two "
    assert chunks[-1]["error"]["code"] == "model_down"
    payload = row()
    assert said(payload) == [("user", "Count"), ("assistant", "one two ")]
    assert payload["complete"] is False


def test_it_leaves_no_row_where_not_a_word_was_answered(http: httpx.Client, model: ScriptedModel) -> None:
    role = f'data: {HEAD}"choices":[{{"index":0,"delta":{{"role":"assistant"}},"finish_reason":null}}]}}'
    model.reply(Sse([role], hang_up=True))
    body = {"stream": True, "messages": [user("Hi")]}
    with http.stream("POST", "/v1/chat/completions", json=body) as response:
        chunks = events(response.iter_lines())
    assert "error" in chunks[-1]
    assert rows() == []


def test_the_official_client_hears_of_an_error_inside_the_stream(client: openai.OpenAI, model: ScriptedModel) -> None:
    model.reply(Text(pieces=["one ", "two"], hang_up_after=1))
    messages: Any = [user("Count")]
    with pytest.raises(openai.APIError, match="hung up"):
        for _ in client.chat.completions.create(model="m", stream=True, messages=messages):
            pass


def test_it_leaves_a_row_where_the_client_goes_with_the_very_last_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[Answer] = []

    async def finish(opened: Any, answer: Answer) -> None:
        recorded.append(answer)

    async def send(message: Any) -> None:
        if b'"finish_reason":"stop"' in message.get("body", b""):
            raise ClientLeft

    async def relay() -> None:
        asked = chats.Turn(
            uuid.uuid4(), uuid.uuid4(), "general", 1, datetime.now(UTC), uuid.uuid4(), recall.NOTHING, None
        )
        call = request.native({"messages": BRIGID})
        with pytest.raises(ClientLeft):
            await streaming.relay(turn.Opened(call, asked, Route("builtin", "")), Sink(send, []))

    monkeypatch.setattr(turn, "finish", finish)
    asyncio.run(relay())
    assert [bool(answer.text) for answer in recorded] == [True]


# the sink itself, which would else have to be waited for ----------------------------------------------------
class Sent:
    """An ASGI `send` that keeps what it got, and blocks where it is told to."""

    def __init__(self, *, blocked: bool = False) -> None:
        self.messages: list[Any] = []
        self._blocked = blocked

    async def __call__(self, message: Any) -> None:
        self.messages.append(message)
        if self._blocked:
            await asyncio.Event().wait()


def test_it_sends_a_comment_while_the_model_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks, "KEEP_ALIVE_SECONDS", 0.02)
    sent = Sent()

    async def think() -> None:
        sink = Sink(sent, [])
        async with sink.kept_alive():
            assert not sink.started
            end = time.monotonic() + 5
            while len(sent.messages) < 3 and time.monotonic() < end:
                await asyncio.sleep(0.005)

    asyncio.run(think())
    start, *bodies = sent.messages
    assert start["status"] == 200
    assert {b["body"] for b in bodies} == {b": keep-alive\n\n"}


def test_it_gives_up_on_a_client_that_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks, "SEND_SECONDS", 0.02)

    async def send() -> None:
        with pytest.raises(ClientLeft):
            await Sink(Sent(blocked=True), []).event({})

    asyncio.run(send())
