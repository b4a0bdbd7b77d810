"""A background task's call, at the wire."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.errors import ModelNonsense, ModelRefusedRequest, ModelTimeout
from memory.llm import gateway
from memory.llm.routing import Route
from memory.llm.usage import Usage
from tests.memory.llm.conftest import KEY
from tests.scripted_model import Body, Raw, Recorded, Reply, ScriptedModel, Sse, Status, Text

MESSAGES = [{"role": "system", "content": "Read."}, {"role": "user", "content": "I live in Brno."}]
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array"}}}


def complete(route: Route, **given: object) -> gateway.Completion:
    return gateway.complete(task="memory_extract", messages=MESSAGES, route=route, **given)  # type: ignore[arg-type]


def test_it_returns_the_text_and_what_it_cost_from_every_provider(model: ScriptedModel, each_route: Route) -> None:
    model.reply('{"facts": []}')
    found = complete(each_route)
    assert found == gateway.Completion('{"facts": []}', Usage(9, 2, 11), "m1", each_route.provider, "stop")


def test_it_sends_the_messages_the_model_and_the_key_and_nothing_of_its_own(model: ScriptedModel, route: Route) -> None:
    complete(route)
    [request] = model.requests
    assert request.json == {"model": "m1", "messages": MESSAGES, "stream": False}
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_it_limits_the_answer_where_it_is_told_to(model: ScriptedModel, each_route: Route) -> None:
    complete(each_route, max_tokens=77)
    sent = model.requests[0].json
    assert 77 in (sent.get("max_tokens"), sent.get("options", {}).get("num_predict"))


def test_it_asks_for_the_schema_where_the_provider_can_enforce_it(model: ScriptedModel, route: Route) -> None:
    complete(route, response_schema=SCHEMA)
    sent = model.requests[0].json["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"] == SCHEMA


def test_it_asks_ollama_for_the_schema_in_ollamas_words(model: ScriptedModel) -> None:
    complete(Route("ollama", "m1", "", model.root, 5.0), response_schema=SCHEMA)
    assert model.requests[0].json["format"] == SCHEMA


def _refuses_formats(request: Recorded) -> Reply:
    if "response_format" in request.json:
        return Status(400, "response_format is not supported")
    return Text("fine")


def test_it_does_without_the_schema_where_it_is_refused_and_remembers(model: ScriptedModel, route: Route) -> None:
    model.reply(_refuses_formats)
    assert complete(route, response_schema=SCHEMA).text == "fine"
    assert complete(route, response_schema=SCHEMA).text == "fine"
    assert ["response_format" in r.json for r in model.requests] == [True, False, False]


def test_it_does_not_blame_the_schema_for_a_request_that_is_refused_anyway(model: ScriptedModel, route: Route) -> None:
    model.reply(Status(400, "context length exceeded"))
    with pytest.raises(ModelRefusedRequest, match="context length exceeded"):
        complete(route, response_schema=SCHEMA)
    model.reply("fine")
    complete(route, response_schema=SCHEMA)
    assert "response_format" in model.requests[-1].json


def test_it_asks_once_where_the_schema_is_known_to_be_taken(model: ScriptedModel, route: Route) -> None:
    complete(route, response_schema=SCHEMA)
    model.reply(Status(400, "context length exceeded"))
    with pytest.raises(ModelRefusedRequest):
        complete(route, response_schema=SCHEMA)
    assert len(model.requests) == 2


@pytest.mark.parametrize("content", [None, "", "  \n", []])
def test_it_takes_an_empty_answer_for_nonsense_and_never_reads_the_reasoning(
    model: ScriptedModel, route: Route, content: object
) -> None:
    message = {"role": "assistant", "content": content, "reasoning_content": "Maybe a baker; job=baker."}
    model.reply(Body({"id": "x1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}))
    with pytest.raises(ModelNonsense, match="answer was empty") as caught:
        complete(route)
    assert caught.value.retryable
    assert "job=baker" in caught.value.raw
    assert "job=baker" not in str(caught.value)


def test_it_joins_the_text_parts_of_an_answer_in_parts(model: ScriptedModel, route: Route) -> None:
    parts = [{"type": "text", "text": '{"facts"'}, {"type": "text", "text": ": []}"}]
    message = {"role": "assistant", "content": parts}
    model.reply(Body({"id": "x1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}))
    assert complete(route).text == '{"facts": []}'


def test_it_says_that_an_answer_was_cut(model: ScriptedModel, route: Route) -> None:
    model.reply(Text('{"facts": [', finish_reason="length"))
    assert complete(route).finish_reason == "length"


def test_it_does_not_invent_token_counts(model: ScriptedModel, route: Route) -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}
    model.reply(Body({"id": "x", "choices": [choice]}))
    assert complete(route).usage == Usage(None, None, None)


@pytest.mark.parametrize("reply", [Raw(b"not json"), Body({"id": "x"}), Body({"choices": []}), Body([1])])
def test_it_calls_an_answer_that_cannot_be_read_nonsense(model: ScriptedModel, route: Route, reply: Reply) -> None:
    model.reply(reply)
    with pytest.raises(ModelNonsense):
        complete(route)


def test_it_is_bounded_as_a_whole_even_when_the_server_is_not_silent(model: ScriptedModel, route: Route) -> None:
    # A line each 50 ms never trips the time-out of a socket.
    model.reply(Sse([": keep-alive"] * 200, interval=0.05))
    started = time.monotonic()
    with pytest.raises(ModelTimeout, match=r"0\.4 s"):
        complete(route, timeout=0.4)
    assert time.monotonic() - started < 2
    model.wait_for(lambda m: m.requests[0].closed_at is not None)


def test_it_is_called_once_and_never_again_by_itself(model: ScriptedModel, each_route: Route) -> None:
    model.reply(Status(500))
    with pytest.raises(Exception, match="status 500"):
        complete(each_route)
    assert len(model.requests) == 1


def test_it_serves_many_threads_over_few_connections(model: ScriptedModel, route: Route) -> None:
    model.reply(Text("ok", delay=0.1))
    with ThreadPoolExecutor(32) as pool:
        started = time.monotonic()
        answers = list(pool.map(lambda _: complete(route).text, range(128)))
        took = time.monotonic() - started
    assert answers == ["ok"] * 128
    assert took < 4, "the calls waited for each other"
    assert len({r.connection for r in model.requests}) <= 32
    assert sum(t.name == "models" for t in threading.enumerate()) == 1


def test_it_refuses_to_stand_in_for_the_rules() -> None:
    with pytest.raises(RuntimeError, match="builtin"):
        complete(Route("builtin", ""))
