"""A streamed answer: what is passed on and what is kept."""

from __future__ import annotations

import json
import time

import pytest

from memory.errors import ModelError
from memory.llm import gateway
from memory.llm.routing import Route
from memory.llm.usage import Usage
from tests.memory.llm.conftest import run
from tests.memory.llm.streams import DONE, ask, delta, piece, read, reasons_of, text_of
from tests.scripted_model import Body, Recorded, Reply, ScriptedModel, Sse, Status, Text, ToolCalls

USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
PECULIAR = [
    piece(),
    ": keep-alive",
    piece(delta("Hel")),
    piece(delta("lo", reason="stop")),
    piece(usage=USAGE),
    DONE,
]


def test_it_brings_every_providers_stream_into_one_shape(model: ScriptedModel, each_route: Route) -> None:
    model.reply("Hello big world")
    chunks, answer = read(ask(each_route, usage=True))
    assert text_of(chunks) == answer.text == "Hello big world"
    assert len({(c["id"], c["created"], c["object"]) for c in chunks}) == 1
    assert all(isinstance(c["choices"], list) for c in chunks)
    assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
    assert reasons_of(chunks) == ["stop"]
    assert [c["usage"]["total_tokens"] for c in chunks if c.get("usage")] == [11]
    assert chunks[-1]["choices"] == []
    assert answer.usage == Usage(9, 2, 11)
    assert answer.finished
    assert answer.finish_reasons == {0: "stop"}


def test_it_survives_chunks_without_choices_and_says_usage_last(model: ScriptedModel, route: Route) -> None:
    model.reply(Sse(PECULIAR))
    chunks, answer = read(ask(route, usage=True))
    assert text_of(chunks) == "Hello"
    assert reasons_of(chunks) == ["stop"]
    assert {c["id"] for c in chunks} == {"c1"}
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"] == USAGE
    assert answer.message == {"role": "assistant", "content": "Hello"}


def test_it_tells_the_usage_to_nobody_who_did_not_ask_but_keeps_it(model: ScriptedModel, each_route: Route) -> None:
    chunks, answer = read(ask(each_route))
    assert not [c for c in chunks if c.get("usage")]
    assert answer.usage == Usage(9, 2, 11)


def test_it_takes_usage_that_comes_with_the_end_out_of_that_chunk(model: ScriptedModel, route: Route) -> None:
    model.reply(Sse([piece(delta("Hi")), piece(delta("", reason="stop"), usage=USAGE), DONE]))
    chunks, answer = read(ask(route, usage=True))
    assert [("usage" in c, len(c["choices"])) for c in chunks] == [(False, 1), (False, 1), (True, 0)]
    assert answer.usage == Usage(9, 2, 11)


def test_it_invents_no_usage(model: ScriptedModel, route: Route) -> None:
    model.reply(Sse([piece(delta("Hi", reason="stop")), DONE]))
    chunks, answer = read(ask(route, usage=True))
    assert not [c for c in chunks if "usage" in c]
    assert answer.usage == Usage()


def _refuses_options(request: Recorded) -> Reply:
    return Status(400, "unknown field stream_options") if "stream_options" in request.json else Text("fine")


def test_it_does_without_usage_where_asking_for_it_is_refused(model: ScriptedModel, route: Route) -> None:
    model.reply(_refuses_options)
    assert read(ask(route))[1].text == "fine"
    assert read(ask(route))[1].text == "fine"
    assert ["stream_options" in r.json for r in model.requests] == [True, False, False]


def test_it_asks_once_where_usage_is_known_to_be_told(model: ScriptedModel, route: Route) -> None:
    read(ask(route))
    model.reply(Status(400, "context length exceeded"))
    with pytest.raises(ModelError, match="context length"):
        read(ask(route))
    assert len(model.requests) == 2


def test_it_lets_the_provider_refuse_what_the_client_asked_for(model: ScriptedModel, route: Route) -> None:
    model.reply(_refuses_options)
    with pytest.raises(ModelError, match="unknown field"):
        read(ask(route, usage=True))
    assert len(model.requests) == 1


def test_it_gives_one_id_where_the_provider_gives_many_or_none(model: ScriptedModel, route: Route) -> None:
    lines = ['data: {"choices": [{"delta": {"content": "a"}}]}']
    lines += ['data: {"id": "z", "created": 7, "choices": [{"delta": {"content": "b"}, "finish_reason": "stop"}]}']
    model.reply(Sse([*lines, DONE]))
    chunks, _ = read(ask(route))
    assert len({c["id"] for c in chunks}) == len({c["created"] for c in chunks}) == 1
    assert chunks[0]["id"].startswith("chatcmpl-")
    assert all(c["model"] == "m1" for c in chunks)
    assert all(c["choices"][0]["index"] == 0 for c in chunks)


def test_it_ends_each_choice_exactly_once(model: ScriptedModel, route: Route) -> None:
    lines = [
        piece(delta("a"), delta("x", 1)),
        piece(delta("", reason="stop")),
        piece(delta("", reason="stop")),
        piece(delta("y", 1, reason="length")),
        DONE,
    ]
    model.reply(Sse(lines))
    chunks, answer = read(ask(route, n=2))
    assert (reasons_of(chunks, 0), reasons_of(chunks, 1)) == (["stop"], ["length"])
    assert answer.messages[1]["content"] == "xy"


def test_it_closes_a_choice_that_the_provider_left_open(model: ScriptedModel, route: Route) -> None:
    model.reply(Sse([piece(delta("Hi")), DONE]))
    chunks, answer = read(ask(route))
    assert reasons_of(chunks) == ["stop"]
    assert answer.finished


def test_it_passes_unknown_fields_on(model: ScriptedModel, route: Route) -> None:
    logprobs = {"content": [{"token": "Hi", "logprob": -0.5}]}
    first = {**delta("Hi", reasoning_content="hm", x_delta=[1]), "logprobs": logprobs, "x_choice": 2}
    model.reply(Sse([piece(first, x_top={"y": 3}, system_fingerprint="fp"), piece(delta("", reason="stop")), DONE]))
    chunks, answer = read(ask(route))
    assert chunks[0]["x_top"] == {"y": 3}
    assert chunks[0]["system_fingerprint"] == "fp"
    assert chunks[0]["choices"][0]["x_choice"] == 2
    assert chunks[0]["choices"][0]["logprobs"] == logprobs
    assert chunks[0]["choices"][0]["delta"]["x_delta"] == [1]
    assert answer.message["reasoning_content"] == "hm"


def test_it_puts_a_tool_call_together_from_its_fragments(model: ScriptedModel, each_route: Route) -> None:
    calls = [("a", "weather", '{"city": "Lille"}'), ("b", "weather", '{"city": "Lens"}')]
    model.reply(ToolCalls(calls, fragments=4))
    chunks, answer = read(ask(each_route))
    assert reasons_of(chunks) == ["tool_calls"]
    assert [c["function"] for c in answer.message["tool_calls"]] == [
        {"name": name, "arguments": arguments} for _, name, arguments in calls
    ]
    if each_route.provider != "ollama":  # it has no ids; litellm makes some up
        assert [c["id"] for c in answer.message["tool_calls"]] == ["a", "b"]
    parts = [t for c in chunks for ch in c["choices"] for t in ch["delta"].get("tool_calls") or []]
    assert "".join(p["function"].get("arguments") or "" for p in parts if p["index"] == 0) == '{"city": "Lille"}'


def test_it_reads_lines_that_end_and_break_anywhere(model: ScriptedModel, route: Route) -> None:
    body = "\r\n\r\n".join(["event: x\r\ndata:" + piece(delta("é😀", reason="stop"))[6:], DONE]) + "\r\n\r\n"
    raw = body.encode()

    async def feed() -> list[str]:
        from memory.llm.sse import SseDecoder

        decoder = SseDecoder()
        found = [data for i in range(len(raw)) for data in decoder.feed(raw[i : i + 1])]
        return [*found, *decoder.finish()]

    first, second = run(feed())
    assert json.loads(first)["choices"][0]["delta"]["content"] == "é😀"
    assert second == "[DONE]"


def test_it_streams_an_answer_that_came_whole(model: ScriptedModel, route: Route) -> None:
    message = {"role": "assistant", "content": "Hello"}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    model.reply(Body({"id": "x", "choices": [choice], "usage": USAGE}))
    chunks, answer = read(ask(route, usage=True))
    assert text_of(chunks) == "Hello"
    assert answer.usage == Usage(9, 2, 11)


def test_it_gives_the_first_piece_before_the_provider_is_done(model: ScriptedModel, each_route: Route) -> None:
    model.reply(Text("one two three", interval=0.4))

    async def first() -> tuple[float, float]:
        started = time.monotonic()
        async with await gateway.chat_stream(ask(each_route)) as answer:
            async for _ in answer:
                if answer.text:
                    break
            early = time.monotonic() - started
            async for _ in answer:
                pass
        return early, time.monotonic() - started

    early, whole = run(first())
    assert early < 0.9 < whole
