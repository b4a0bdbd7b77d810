"""Every way a provider fails has its typed error, with words that a person can act on and no key in them."""

from __future__ import annotations

import datetime
import email.utils
import logging
import socket
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from memory.errors import (
    ModelDown,
    ModelError,
    ModelMisconfigured,
    ModelNonsense,
    ModelRateLimited,
    ModelRefusedRequest,
    ModelTimeout,
)
from memory.llm import gateway
from memory.llm.gateway import ChatRequest
from memory.llm.retry_after import retry_after
from memory.llm.routing import Route
from tests.memory.llm.conftest import KEY, run
from tests.scripted_model import Body, Hang, HangUp, Raw, Reply, ScriptedModel, Status


def fail(route: Route) -> ModelError:
    """The same failure by both doors; they must agree."""
    with pytest.raises(ModelError) as chatting:
        run(gateway.chat(ChatRequest({"messages": [{"role": "user", "content": "hi"}]}, route)))
    with pytest.raises(ModelError) as working:
        gateway.complete(task="memory_extract", messages=[{"role": "user", "content": "hi"}], route=route)
    assert type(chatting.value) is type(working.value)
    return chatting.value


CASES: list[tuple[Reply, type[ModelError], bool]] = [
    (Status(429), ModelRateLimited, True),
    (Status(401), ModelMisconfigured, False),
    (Status(403), ModelMisconfigured, False),
    (Status(402), ModelMisconfigured, False),
    (Status(404), ModelMisconfigured, False),
    (Status(400), ModelRefusedRequest, False),
    (Status(413), ModelRefusedRequest, False),
    (Status(422), ModelRefusedRequest, False),
    (Status(408), ModelTimeout, True),
    (Status(500), ModelDown, True),
    (Status(502), ModelDown, True),
    (Status(503), ModelDown, True),
    (Status(504), ModelTimeout, True),
    (Status(529), ModelDown, True),
    (HangUp(), ModelDown, True),
    (Raw(b"<html>Bad gateway</html>", 502, "text/html"), ModelDown, True),
    (Raw(b"not json"), ModelNonsense, True),
    (Raw(b""), ModelNonsense, True),
]


@pytest.mark.parametrize(("reply", "kind", "retryable"), CASES)
def test_it_gives_each_failure_its_own_error(
    model: ScriptedModel, each_route: Route, reply: Reply, kind: type[ModelError], retryable: bool
) -> None:
    model.reply(reply)
    error = fail(each_route)
    assert type(error) is kind
    assert error.retryable is retryable
    assert error.provider == each_route.provider
    assert error.model == "m1"
    assert each_route.identity in str(error)
    assert "litellm" not in str(error).lower()
    assert "<html>" not in str(error)


def test_it_calls_an_error_in_a_good_answer_a_failure_that_may_pass(model: ScriptedModel, route: Route) -> None:
    model.reply(Body({"error": {"message": "upstream overloaded"}}))
    error = fail(route)
    assert type(error) is ModelDown
    assert "upstream overloaded" in str(error)
    model.reply(Body({"error": {"message": "slow", "code": 429}}))
    assert type(fail(route)) is ModelRateLimited


def test_it_knows_a_refused_port_from_a_fault_inside(each_route: Route) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = fail(Route(each_route.provider, "m1", KEY, f"http://127.0.0.1:{port}", 5.0))
    assert type(error) is ModelDown
    assert f"127.0.0.1:{port}" in str(error)


def test_it_knows_a_name_that_does_not_exist(each_route: Route) -> None:
    error = fail(Route(each_route.provider, "m1", KEY, "http://no-such-host.invalid/v1", 5.0))
    assert type(error) is ModelDown


def test_it_gives_up_on_a_server_that_never_answers(model: ScriptedModel, each_route: Route) -> None:
    model.reply(Hang())
    error = fail(Route(each_route.provider, "m1", KEY, each_route.base_url, 0.3))
    assert type(error) is ModelTimeout
    assert "CAESAR_LLM__TIMEOUT_SECONDS" in str(error)
    model.wait_for(lambda m: all(r.closed_at is not None for r in m.requests))


def test_it_keeps_the_providers_own_words_but_not_all_of_them(model: ScriptedModel, each_route: Route) -> None:
    model.reply(Status(400, "messages.3: roles must alternate. " + "x" * 5000))
    error = fail(each_route)
    assert "messages.3: roles must alternate." in str(error)
    assert len(str(error)) < 700


def test_it_says_which_setting_holds_the_wrong_key(model: ScriptedModel) -> None:
    model.reply(Status(401, "invalid x-api-key"))
    assert "CAESAR_LLM__OPENAI__API_KEY" in str(fail(Route("openai", "m1", KEY, model.url, 5.0)))
    assert "CAESAR_LLM__ANTHROPIC__API_KEY" in str(fail(Route("anthropic", "m1", KEY, model.root, 5.0)))


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_it_calls_a_missing_key_a_wrong_setting(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    error = fail(Route(provider, "m1", "", "", 5.0))
    assert type(error) is ModelMisconfigured


def test_it_calls_a_provider_that_does_not_exist_a_wrong_setting() -> None:
    error = fail(Route("no-such-provider", "m1", "", "", 5.0))
    assert type(error) is ModelMisconfigured
    assert "no-such-provider" in str(error)


@pytest.mark.parametrize(("header", "seconds"), [("20", 20.0), ("0.5", 0.5), ("soon", None), (None, None)])
def test_it_keeps_the_time_that_a_provider_asks_for(
    model: ScriptedModel, each_route: Route, header: str | None, seconds: float | None
) -> None:
    model.reply(Status(429, headers={"Retry-After": header} if header else {}))
    assert fail(each_route).retry_after == seconds


def test_it_reads_a_date_as_the_time_to_wait(model: ScriptedModel, each_route: Route) -> None:
    at = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=90)
    model.reply(Status(429, headers={"Retry-After": email.utils.format_datetime(at, usegmt=True)}))
    error = fail(each_route)
    assert error.retry_after is not None
    assert 80 < error.retry_after <= 90


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "-5"}, 0.0),
        ({"Retry-After": "1e9"}, 86400.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_it_reads_the_header_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=10.0) == seconds


@pytest.fixture
def everything_logged() -> Iterator[list[str]]:
    """All that anything logs at its lowest level, formatted with its traceback."""
    lines: list[str] = []
    formatter = logging.Formatter("%(name)s %(message)s")

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(formatter.format(record))

    handler, root = Keep(), logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield lines
    root.removeHandler(handler)
    root.setLevel(before)


@pytest.mark.parametrize("words", [f"Incorrect API key provided: {KEY}.", "Bad key sk-proj-abcdef1234567890"])
def test_it_tells_the_key_and_the_chat_to_nobody(
    model: ScriptedModel, each_route: Route, words: str, everything_logged: list[str], capfd: Any
) -> None:
    body = {"messages": [{"role": "user", "content": "my-private-sentence"}]}
    replies: list[Reply] = [Status(401, words), Status(500, words), Status(400, words), Raw(words.encode())]
    for reply in replies:
        model.reply(reply)
        for call in (gateway.chat, gateway.chat_stream):
            if isinstance(reply, Raw) and call is gateway.chat_stream:
                continue
            with pytest.raises(ModelError) as caught:
                run(call(ChatRequest(body, each_route)))
            error = caught.value
            shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
            assert KEY not in shown
            assert "sk-proj-abcdef" not in shown
    model.reply("fine")
    run(gateway.chat(ChatRequest(body, each_route)))
    printed = capfd.readouterr()
    told = "\n".join(everything_logged) + printed.out + printed.err
    assert KEY not in told
    assert "my-private-sentence" not in told
