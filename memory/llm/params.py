"""What litellm is called with.

Providers that speak OpenAI's protocol get the client's request exactly as it was written: the whole body
rides in `extra_body`, which the OpenAI client lays over the body that litellm builds. litellm's own path
rewrites messages and swallows unknown fields. All others get what litellm can map.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.llm.routing import Route

# litellm insists on messages of its own; `extra_body` covers them.
_COVERED = ({"role": "user", "content": "-"},)

# What a client may set for a mapped provider. A list of what is allowed, because litellm takes its own
# controls (api_base, api_key, mock_response, fallbacks, …) from the same keywords.
_MAPPED = (
    *("audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs"),
    *("max_completion_tokens", "max_tokens", "modalities", "n", "parallel_tool_calls", "prediction"),
    *("presence_penalty", "reasoning_effort", "response_format", "seed", "stop", "temperature", "thinking"),
    *("tool_choice", "tools", "top_k", "top_logprobs", "top_p", "user", "verbosity", "web_search_options"),
)


def chat_call(body: Mapping[str, Any], route: Route, *, stream: bool, stream_options: bool) -> dict[str, Any]:
    """Keywords for `litellm.acompletion` that send a client's request to the route.

    `stream_options`: ask for token counts at the end of the stream.
    """
    call = _connection(route)
    if route.speaks_openai:
        sent = {name: value for name, value in body.items() if name not in ("model", "stream")}
        if stream:
            sent["stream"] = True
            if stream_options:
                given = body.get("stream_options")
                given = given if isinstance(given, Mapping) else {}
                sent["stream_options"] = {**given, "include_usage": True}
        # `custom_openai`: OpenAI's protocol without litellm's special cases for single models of `openai`
        # (it renames limits and moves some models to another API). The model's name is the one field that
        # `extra_body` cannot cover.
        call.update(model=f"custom_openai/{route.model}", messages=[*_COVERED], extra_body=sent)
    else:
        call.update({name: body[name] for name in _MAPPED if body.get(name) is not None})
        # What a provider does not take is left out instead of failing the call.
        call.update(model=route.litellm_model, messages=body.get("messages", []), drop_params=True)
        if stream:
            call["stream_options"] = {"include_usage": True}
    if stream:
        call["stream"] = True
    return call


def task_call(
    messages: list[dict[str, Any]],
    route: Route,
    *,
    max_tokens: int | None,
    response_format: dict[str, Any] | None,
) -> dict[str, Any]:
    """Keywords for a background task's call. Here litellm's knowledge of single models is welcome."""
    call = _connection(route)
    call.update(model=route.litellm_model, messages=messages)
    if max_tokens is not None:
        call["max_tokens"] = max_tokens
    if response_format is not None:
        call["response_format"] = response_format
    return call


def json_schema_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema)}}


def _connection(route: Route) -> dict[str, Any]:
    # Retries belong to whoever keeps the work; a retry in here would hide a 429 and hold its thread.
    call: dict[str, Any] = {"timeout": float(route.timeout_seconds), "num_retries": 0, "max_retries": 0}
    if route.base_url:
        call["api_base"] = route.base_url
    if route.api_key:
        call["api_key"] = route.api_key
    elif route.speaks_openai and route.base_url:
        # A server of one's own wants none, the client library insists on one, and litellm would else send
        # whatever OPENAI_API_KEY holds to an address that it was not meant for.
        call["api_key"] = "none"
    return call
