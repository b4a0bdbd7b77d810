"""A streamed answer: what is passed on, what is kept, and that the line is hung up."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from typing import Any

import pytest

from memory.errors import ModelDown, ModelError, ModelNonsense, ModelRateLimited, ModelTimeout
from memory.llm import gateway, stream
from memory.llm.gateway import ChatRequest, ChatStream
from memory.llm.routing import Route
from memory.llm.usage import Usage
from tests.memory.llm.conftest import run
from tests.scripted_model import Body, HangUp, Recorded, Reply, ScriptedModel, Sse, Status, Text, ToolCalls

Chunks = list[dict[str, Any]]


def ask(route: Route, *, usage: bool = False, **more: Any) -> ChatRequest:
    options = {"stream_options": {"include_usage": True}} if usage else {}
    return ChatRequest({"messages": [{"role": "user", "content": "hi"}], **options, **more}, route)


def read(request: ChatRequest) -> tuple[Chunks, ChatStream]:
    async def reading() -> tuple[Chunks, ChatStream]:
        async with await gateway.chat_stream(request) as answer:
            return [chunk async for chunk in answer], answer

    return run(reading())


def broken(request: ChatRequest) -> tuple[Chunks, ChatStream, ModelError]:
    """Reads a stream that is expected to fail on the way."""

    async def reading() -> tuple[Chunks, ChatStream, ModelError]:
        chunks: Chunks = []
        answer = await gateway.chat_stream(request)
        try:
            async for chunk in answer:
                chunks.append(chunk)
        except ModelError as error:
            return chunks, answer, error
        raise AssertionError(f"it did not fail: {chunks}")

    return run(reading())


def piece(*choices: dict[str, Any], **more: Any) -> str:
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return "data: " + json.dumps({**base, "choices": list(choices), **more})


def delta(text: str, index: int = 0, reason: str | None = None, **more: Any) -> dict[str, Any]:
    return {"index": index, "delta": {"content": text, **more}, "finish_reason": reason}


DONE = "data: [DONE]"
USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
PECULIAR = [
    piece(),
    ": keep-alive",
    piece(delta("Hel")),
    piece(delta("lo", reason="stop")),
    piece(usage=USAGE),
    DONE,
]


def text_of(chunks: Chunks, index: int = 0) -> str:
    choices = [c for chunk in chunks for c in chunk["choices"] if c["index"] == index]
    return "".join(c["delta"].get("content") or "" for c in choices)


def reasons_of(chunks: Chunks, index: int = 0) -> list[str]:
    choices = [c for chunk in chunks for c in chunk["choices"] if c["index"] == index]
    return [c["finish_reason"] for c in choices if c["finish_reason"]]


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


def closed_soon(model: ScriptedModel, count: int = 1) -> None:
    model.wait_for(lambda m: sum(r.closed_at is not None for r in m.requests) == count, 5)


def test_it_hangs_up_when_the_reader_leaves(model: ScriptedModel, each_route: Route) -> None:
    model.reply(Text("w " * 200, interval=0.2))

    async def leave() -> ChatStream:
        async with await gateway.chat_stream(ask(each_route)) as answer:
            async for _ in answer:
                if answer.text.count("w") == 3:
                    break
        await asyncio.to_thread(closed_soon, model)
        return answer

    answer = run(leave())
    assert not answer.finished
    assert answer.text.split() == ["w"] * 3
    assert model.requests[0].sent < 30


def test_it_hangs_up_when_the_readers_task_is_cancelled(model: ScriptedModel, each_route: Route) -> None:
    model.reply(Text("w " * 200, interval=0.1))

    async def reading() -> None:
        async for _ in await gateway.chat_stream(ask(each_route)):
            pass

    async def cancel() -> None:
        tasks = [asyncio.create_task(reading()) for _ in range(10)]
        await asyncio.to_thread(model.wait_for, lambda m: m.open_answers == 10)
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        await asyncio.to_thread(closed_soon, model, 10)

    run(cancel())
    assert model.open_answers == 0


def test_it_hangs_up_a_stream_that_was_never_read(model: ScriptedModel, each_route: Route) -> None:
    model.reply(Text("w " * 200, interval=0.1))

    async def open_and_close() -> None:
        answer = await gateway.chat_stream(ask(each_route))
        await answer.aclose()
        await answer.aclose()
        await asyncio.to_thread(closed_soon, model)

    run(open_and_close())


def test_it_waits_only_so_long_for_the_next_piece(model: ScriptedModel) -> None:
    for provider, base in (("openai", model.url), ("anthropic", model.root), ("ollama", model.root)):
        model.reset().reply(Text("a b c", stall_after=2))
        chunks, answer, error = broken(ask(Route(provider, "m1", "k", base, 0.3)))
        assert isinstance(error, ModelTimeout), provider
        assert text_of(chunks) == answer.text == "a b"
        assert not answer.finished
        closed_soon(model)


def test_it_does_not_count_comments_as_pieces(model: ScriptedModel) -> None:
    model.reply(Sse([piece(delta("a"))] + [": keep-alive"] * 100, interval=0.05))
    *_, error = broken(ask(Route("openai", "m1", "k", model.url, 0.4)))
    assert isinstance(error, ModelTimeout)


def test_it_may_take_longer_as_a_whole_than_for_a_piece(model: ScriptedModel) -> None:
    model.reply(Text("w " * 10, interval=0.1))
    _, answer = read(ask(Route("openai", "m1", "k", model.url, 0.5)))
    assert answer.finished


def test_it_says_that_the_provider_hung_up_and_keeps_what_came(model: ScriptedModel, each_route: Route) -> None:
    model.reply(Text("a b c d", hang_up_after=2))
    chunks, answer, error = broken(ask(each_route))
    assert isinstance(error, ModelDown)
    assert text_of(chunks) == answer.text == "a b"
    assert not answer.finished


def test_it_does_not_take_a_broken_off_answer_for_a_whole_one(model: ScriptedModel, route: Route) -> None:
    model.reply(Sse([piece(delta("half of"))]))
    *_, error = broken(ask(route))
    assert isinstance(error, ModelDown)


def test_it_needs_no_last_word_when_every_choice_has_ended(model: ScriptedModel, route: Route) -> None:
    model.reply(Sse([piece(delta("whole", reason="stop"))]))
    assert read(ask(route))[1].finished


def test_it_raises_an_error_that_comes_inside_a_stream(model: ScriptedModel, route: Route) -> None:
    error_line = 'data: {"error": {"message": "slow down", "code": 429}}'
    model.reply(Sse([piece(delta("a")), error_line]))
    *_, error = broken(ask(route))
    assert isinstance(error, ModelRateLimited)
    model.reply(Sse([piece(delta("a")), 'data: {"error": "out of memory"}']))
    *_, error = broken(ask(route))
    assert isinstance(error, ModelDown)
    assert "out of memory" in str(error)


@pytest.mark.parametrize("lines", [[DONE], ["data: nonsense"], ['data: ["a"]']])
def test_it_calls_a_stream_that_cannot_be_read_nonsense(model: ScriptedModel, route: Route, lines: list[str]) -> None:
    model.reply(Sse(lines))
    *_, error = broken(ask(route))
    assert isinstance(error, ModelNonsense)


def test_it_ends_an_answer_that_does_not_end(
    model: ScriptedModel, route: Route, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MOST_CHARACTERS", 1000)
    model.reply(Sse([piece(delta("again and again "))] * 5000))
    _, answer, error = broken(ask(route))
    assert isinstance(error, ModelNonsense)
    assert "does not end" in str(error)
    assert len(answer.text) < 1100
    closed_soon(model)


def test_it_raises_what_goes_wrong_before_the_first_byte_when_the_stream_is_opened(
    model: ScriptedModel, each_route: Route
) -> None:
    async def opening() -> None:
        await gateway.chat_stream(ask(each_route))

    model.reply(Status(429, headers={"Retry-After": "20"}))
    with pytest.raises(ModelRateLimited) as caught:
        run(opening())
    assert caught.value.retry_after == 20
    model.reply(HangUp())
    with pytest.raises(ModelDown):
        run(opening())


def test_it_uses_the_connection_again_after_a_whole_answer(model: ScriptedModel, route: Route) -> None:
    async def twice() -> None:
        for _ in range(3):
            async with await gateway.chat_stream(ask(route)) as answer:
                async for _ in answer:
                    pass

    run(twice())
    assert len({r.connection for r in model.requests}) == 1


def test_it_holds_hundreds_of_streams_open_at_once(model: ScriptedModel, route: Route) -> None:
    """litellm's own limits (500 a host; 100 where they are switched off) would queue the rest in silence."""
    model.reply(Text("a b", interval=2.0))

    async def one() -> str:
        async with await gateway.chat_stream(ask(route)) as answer:
            async for _ in answer:
                pass
        return answer.text

    async def many() -> list[str]:
        return await asyncio.gather(*(one() for _ in range(600)))

    assert run(many()) == ["a b"] * 600
    assert model.most_open_answers == 600
