"""A client's chat through the gateway: what arrives upstream, and what comes back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memory.errors import ModelNonsense
from memory.llm import gateway, upstream
from memory.llm.gateway import ChatRequest
from memory.llm.routing import Route
from tests.memory.llm.conftest import run
from tests.scripted_model import Body, Hang, ScriptedModel, Status, Text, ToolCalls

IMAGE = "data:image/png;base64," + "A" * 2_000_000
AWKWARD: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief."},
    {
        "role": "user",
        "name": "yann",
        "x_field": {"deep": [1, None]},
        "content": [
            {"type": "text", "text": "For context:", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": " this is my boat Sirocco, moored in Brest."},
            {"type": "image_url", "image_url": {"url": IMAGE, "detail": "low"}},
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
            {"type": "x_future", "x": 1},
        ],
    },
    {"role": "assistant", "content": None, "refusal": "no"},
    {"role": "user", "content": []},
    {"role": "user", "content": ""},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "a",
                "type": "function",
                "function": {"name": "w", "arguments": '{"city":"Lille"}'},
                "x": 1,
            },
            {"id": "b", "type": "function", "function": {"name": "w", "arguments": ""}},
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "7C rain"},
    {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "6C fog"}]},
    {"role": "user", "content": "last"},
]
PART = {"type": "text", "text": "b", "x_part": 1}
EVERYTHING = {
    "model": "what the client calls it",
    "messages": AWKWARD,
    "tools": [{"type": "function", "function": {"name": "w", "parameters": {"type": "object"}}, "x": 1}],
    "tool_choice": {"type": "function", "function": {"name": "w"}},
    "response_format": {"type": "json_object"},
    "n": 2,
    "stop": ["a", "b"],
    "seed": 0,
    "temperature": 0,
    "top_p": None,
    "logprobs": True,
    "top_logprobs": 3,
    "max_tokens": 5,
    "max_completion_tokens": 6,
    "parallel_tool_calls": False,
    "logit_bias": {"50256": -100},
    "user": "yann",
    "metadata": {"a": "b"},
    "reasoning_effort": "low",
    "reasoningSummary": "auto",
    "x_unknown": {"a": [1]},
    "api_base": "http://127.0.0.1:9/evil",
    "api_key": "theirs",
    "extra_headers": {"x": "y"},
    "mock_response": "evil",
}


@pytest.mark.parametrize("name", ["m1", "gpt-5.4", "o1-pro", "org/model:tag", "gpt-3.5-turbo-instruct"])
def test_it_sends_every_field_and_message_as_the_client_wrote_it(model: ScriptedModel, name: str) -> None:
    route = Route("openai", name, "k", model.url, 5.0)
    run(gateway.chat(ChatRequest(EVERYTHING, route)))
    [request] = model.requests
    assert request.path == "/v1/chat/completions"
    assert request.json == {**EVERYTHING, "model": name, "stream": False}
    assert request.headers["authorization"] == "Bearer k"


def test_it_does_the_same_when_streaming(model: ScriptedModel, route: Route) -> None:
    async def read() -> None:
        async with await gateway.chat_stream(ChatRequest(EVERYTHING, route)) as stream:
            async for _ in stream:
                pass

    run(read())
    expected = {**EVERYTHING, "model": "m1", "stream": True, "stream_options": {"include_usage": True}}
    assert model.requests[0].json == expected


def test_it_reaches_the_model_in_the_box_the_same_way(model: ScriptedModel) -> None:
    run(gateway.chat(ChatRequest(EVERYTHING, Route("builtin", "smol", "", model.url, 5.0))))
    assert model.requests[0].json == {**EVERYTHING, "model": "smol", "stream": False}


def test_it_hangs_up_when_the_client_leaves_before_the_answer_begins(model: ScriptedModel, each_route: Route) -> None:
    model.reply(Hang())

    async def leave() -> None:
        request = ChatRequest({"messages": AWKWARD[-1:]}, each_route)
        tasks = [asyncio.create_task(call(request)) for call in (gateway.chat, gateway.chat_stream)]
        await asyncio.to_thread(model.wait_for, lambda m: m.open_answers == 2)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(model.wait_for, lambda m: m.open_answers == 0)

    run(leave())


def test_it_leaves_the_clients_request_untouched(model: ScriptedModel, route: Route) -> None:
    body = {"model": "x", "messages": [{"role": "user", "content": "hi"}], "stream": False, "x": {"y": 1}}
    before = repr(body)
    run(gateway.chat(ChatRequest(body, route)))
    assert repr(body) == before


def test_it_sends_no_key_of_another_provider_to_a_server_of_ones_own(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-real-one")
    run(gateway.chat(ChatRequest({"messages": AWKWARD[-1:]}, Route("openai", "m1", "", model.url, 5.0))))
    assert "sk-the-real-one" not in repr(model.requests[0].headers)


def test_it_gives_back_everything_that_came(model: ScriptedModel, route: Route) -> None:
    answer = {
        "id": "x1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "provider-name-2026",
        "system_fingerprint": "fp",
        "x_top": [5],
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "x_choice": 3,
                "logprobs": {
                    "content": [{"token": "a", "logprob": -0.1, "bytes": [97], "top_logprobs": []}],
                    "refusal": None,
                },
                "message": {
                    "role": "assistant",
                    "content": None,
                    "refusal": "no",
                    "reasoning_content": "think",
                    "x_message": {"z": 1},
                    "tool_calls": [
                        {
                            "id": "c",
                            "type": "function",
                            "function": {"name": "w", "arguments": '{"city": "Ÿ"}', "x_function": 1},
                            "x_call": None,
                        }
                    ],
                },
            },
            {"index": 1, "finish_reason": "length", "message": {"role": "assistant", "content": [PART]}},
        ],
        "usage": {
            "prompt_tokens": 3,
            "completion_tokens": 4,
            "total_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 1, "x_tokens": None},
            "x_cost": 0.1,
        },
    }
    model.reply(Body(answer))
    assert run(gateway.chat(ChatRequest(EVERYTHING, route))) == answer


def test_it_completes_a_poor_answer_to_openais_shape(model: ScriptedModel, route: Route) -> None:
    model.reply(Body({"choices": [{"message": {"content": "hi"}}]}))
    body = run(gateway.chat(ChatRequest({"messages": AWKWARD[-1:]}, route)))
    assert body["id"].startswith("chatcmpl-")
    assert body["object"] == "chat.completion"
    assert body["created"] > 1_600_000_000
    assert body["model"] == "m1"
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "hi"}
    assert body["choices"][0]["finish_reason"] == "stop"
    assert "usage" not in body, "no counts came, so none are told"


def test_it_passes_an_answer_without_text_on_as_it_is(model: ScriptedModel, route: Route) -> None:
    model.reply(Text(None, message={"refusal": "I cannot."}))
    message = run(gateway.chat(ChatRequest({"messages": AWKWARD[-1:]}, route)))["choices"][0]["message"]
    assert message == {"role": "assistant", "content": None, "refusal": "I cannot."}


def test_it_keeps_the_order_that_a_strict_provider_insists_on(route: Route) -> None:
    with ScriptedModel(strict=True) as model:
        strict = Route("openai", "m1", "k", model.url, 5.0)
        run(gateway.chat(ChatRequest({"messages": AWKWARD}, strict)))
        assert model.requests[0].status == 200


def test_it_calls_an_answer_without_choices_nonsense(model: ScriptedModel, route: Route) -> None:
    model.reply(Body({"id": "x", "choices": []}))
    with pytest.raises(ModelNonsense, match="no choices"):
        run(gateway.chat(ChatRequest({"messages": AWKWARD[-1:]}, route)))


def test_it_does_not_read_an_answer_without_end(
    model: ScriptedModel, route: Route, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstream, "MOST_BODY_BYTES", 10_000)
    model.reply("again and again " * 5000)
    with pytest.raises(ModelNonsense, match="does not end"):
        run(gateway.chat(ChatRequest({"messages": AWKWARD[-1:]}, route)))
    model.wait_for(lambda m: m.open_answers == 0)


@pytest.mark.parametrize("provider", ["anthropic", "ollama"])
def test_it_maps_a_chat_for_a_provider_with_words_of_its_own(model: ScriptedModel, provider: str) -> None:
    model.script(["Hello there", ToolCalls([("t1", "w", '{"city": "Lille"}')])])
    route = Route(provider, "m1", "k", model.root, 5.0)
    plain = {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]}
    unknown = {"x_unknown": 1, "seed": 7, "logit_bias": {"1": 2}, "service_tier": "auto"}
    body = run(gateway.chat(ChatRequest({**plain, **unknown, "temperature": 0.5}, route)))
    assert body["object"] == "chat.completion"
    assert body["model"] == "m1"
    assert body["choices"][0]["message"]["content"] == "Hello there"
    assert body["usage"]["total_tokens"] == 11
    assert "x_unknown" not in model.requests[0].json
    tools = [{"type": "function", "function": {"name": "w", "parameters": {"type": "object"}}}]
    body = run(gateway.chat(ChatRequest({**plain, "tools": tools}, route)))
    [call] = body["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": "w", "arguments": '{"city": "Lille"}'}
    assert body["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("provider", ["anthropic", "ollama"])
def test_it_lets_no_client_steer_the_library(model: ScriptedModel, provider: str) -> None:
    route = Route(provider, "m1", "k", model.root, 5.0)
    steering = {
        "api_base": "http://127.0.0.1:9",
        "base_url": "http://127.0.0.1:9",
        "api_key": "theirs",
        "mock_response": "evil",
        "model_list": [],
        "fallbacks": ["gpt-4o"],
        "custom_llm_provider": "openai",
        "extra_headers": {"x-evil": "1"},
        "headers": {"x-evil": "1"},
        "timeout": 0.001,
        "num_retries": 9,
    }
    body = run(gateway.chat(ChatRequest({"messages": AWKWARD[-1:], **steering}, route)))
    assert body["choices"][0]["message"]["content"] == "ok"
    [request] = model.requests
    assert "x-evil" not in request.headers
    assert "theirs" not in repr(request.headers)


def test_it_fetches_no_image_from_inside_the_network(model: ScriptedModel) -> None:
    """A provider that wants images as bytes makes litellm fetch them; not from an address in here."""
    route = Route("ollama", "m1", "", model.root, 5.0)
    url = {"type": "image_url", "image_url": {"url": f"{model.root}/internal.png"}}
    request = ChatRequest({"messages": [{"role": "user", "content": [url]}]}, route)
    model.reply(Status(500))
    with pytest.raises(Exception, match="model"):
        run(gateway.chat(request))
    assert not [r for r in model.requests if r.path.endswith("internal.png")]
