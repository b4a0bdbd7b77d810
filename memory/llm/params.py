"""What litellm is called with.

Providers that speak OpenAI's protocol get a request exactly as it was written, and their answer is read as it
came: litellm's own path rewrites messages, swallows unknown fields and refuses answers of a shape it does not
know. All others get what litellm can map.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.llm.library import client_of_this_loop
from memory.llm.routing import Route

_NEVER_SECONDS = 24 * 3600.0
_OPENAI_HOST = "api.openai.com"

# litellm insists on messages of its own; `extra_body` covers them.
_COVERED: tuple[dict[str, str], ...] = ({"role": "user", "content": "-"},)

# What a client may set for a mapped provider. A list of what is allowed, because litellm takes its own
# controls (api_base, api_key, mock_response, fallbacks, …) from the same keywords.
_MAPPED = (
    *("audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs"),
    *("max_completion_tokens", "max_tokens", "modalities", "n", "parallel_tool_calls", "prediction"),
    *("presence_penalty", "reasoning_effort", "response_format", "seed", "stop", "temperature", "thinking"),
    *("tool_choice", "tools", "top_k", "top_logprobs", "top_p", "user", "verbosity", "web_search_options"),
)


def verbatim(body: Mapping[str, Any], route: Route, *, stream: bool) -> dict[str, Any]:
    """Keywords for `litellm.acompletion` that send this body and nothing else.

    The body rides in `extra_body`, which the OpenAI client lays over the one that litellm builds. litellm is
    always told to stream, because it then hands out the response unread; what the provider is told stands in
    the body.
    """
    sent = {name: value for name, value in body.items() if name != "model"}
    sent["stream"] = stream
    if not stream and _at_openai(route):
        # litellm asks this host for counts with every stream, and the host refuses the field without one.
        sent["stream_options"] = None
    # `custom_openai`: OpenAI's protocol without litellm's special cases for single models of `openai` (it
    # renames limits and moves some models to another API). The model's name is the one field that
    # `extra_body` cannot cover.
    call = connection(route)
    call.update(model=f"custom_openai/{route.model}", messages=[*_COVERED], extra_body=sent, stream=True)
    return call


def with_usage(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body, asking for token counts at the end of the stream."""
    given = body.get("stream_options")
    return {
        **body,
        "stream_options": {**(given if isinstance(given, Mapping) else {}), "include_usage": True},
    }


def mapped(body: Mapping[str, Any], route: Route, *, stream: bool) -> dict[str, Any]:
    """Keywords for `litellm.acompletion` that say it in the provider's own words, as far as it has any."""
    call = connection(route)
    call.update({name: body[name] for name in _MAPPED if body.get(name) is not None})
    # What a provider does not take is left out instead of failing the call.
    call.update(model=route.litellm_model, messages=body.get("messages", []), drop_params=True)
    if stream:
        call.update(stream=True, stream_options={"include_usage": True})
    if route.provider == "anthropic":
        # Its streams would use a client whose connections belong to the loop that used it last.
        call["client"] = client_of_this_loop(route.provider)
    return call


def with_schema(body: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The body, asking for an answer of this JSON schema."""
    wanted = {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema)}}
    return {**body, "response_format": wanted}


def limit_name(route: Route) -> str:
    """What the limit of an answer's length is called: OpenAI's own newer models refuse the old name."""
    return "max_completion_tokens" if _at_openai(route) else "max_tokens"


def _at_openai(route: Route) -> bool:
    return route.provider == "openai" and _OPENAI_HOST in (route.base_url or _OPENAI_HOST)


def connection(route: Route) -> dict[str, Any]:
    """Keywords for litellm that say where and with which key."""
    # Retries belong to whoever keeps the work; a retry in here would hide a 429 and hold its thread. The time
    # is bounded by the caller, as a whole; litellm would keep a client of its own for each value.
    call: dict[str, Any] = {"timeout": _NEVER_SECONDS, "num_retries": 0, "max_retries": 0}
    if route.base_url:
        call["api_base"] = route.base_url
    if route.api_key:
        call["api_key"] = route.api_key
    elif route.speaks_openai and route.base_url:
        # A server of one's own wants none, the client library insists on one, and litellm would else send
        # whatever OPENAI_API_KEY holds to an address that it was not meant for.
        call["api_key"] = "none"
    return call
