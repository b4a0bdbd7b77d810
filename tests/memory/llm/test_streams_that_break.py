"""Streams that end before their end, on either side: the line is hung up, and what came is kept."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from memory.errors import ModelDown, ModelNonsense, ModelRateLimited, ModelTimeout
from memory.llm import gateway, shape, sse, stream
from memory.llm.gateway import ChatStream
from memory.llm.routing import Route
from tests.memory.llm.conftest import run
from tests.memory.llm.streams import DONE, ask, broken, delta, piece, read, text_of
from tests.scripted_model import HangUp, ScriptedModel, Sse, Status, Text


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


def test_it_ends_an_event_that_does_not_end(
    model: ScriptedModel, route: Route, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 10_000)
    model.reply(Sse([piece(delta("Once ")), piece(delta("again and again " * 5000))]))
    _, answer, error = broken(ask(route))
    assert isinstance(error, ModelNonsense)
    assert "does not end" in str(error)
    assert answer.text == "Once "


def test_it_holds_no_more_choices_than_anybody_may_ask_for(model: ScriptedModel, route: Route) -> None:
    many = [delta("x", index, "stop") for index in range(1000)]
    model.reply(Sse([piece(*many), DONE]))
    chunks, answer = read(ask(route))
    assert len(answer.messages) == shape.MOST_CHOICES == 128
    assert len(chunks[0]["choices"]) == 128


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
