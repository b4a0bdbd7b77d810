"""The calls to language models: `complete` for workers, `chat` and `chat_stream` for people who wait.

Each call is made once (and once more without an extra that we, not the caller, asked for and that a server
refuses); what fails raises one of the model errors of `memory.errors`. Call with no transaction open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from memory.config import Task
from memory.errors import ModelError, ModelRefusedRequest
from memory.llm import library, loop, params, quirks
from memory.llm.answers import Completion, as_response, completion
from memory.llm.errors import translate
from memory.llm.routing import Route, route_for
from memory.llm.stream import ChatStream
from memory.llm.upstream import Upstream

__all__ = ["ChatRequest", "ChatStream", "Completion", "chat", "chat_stream", "complete", "warm_up"]


T = TypeVar("T")


@dataclass(frozen=True)
class ChatRequest:
    """A client's chat. `body` is OpenAI's request as it is to be sent: our extensions out, memory in."""

    body: Mapping[str, Any]
    route: Route

    @property
    def wants_usage(self) -> bool:
        options = self.body.get("stream_options")
        return isinstance(options, Mapping) and options.get("include_usage") is True


def complete(
    *,
    task: Task,
    messages: Sequence[Mapping[str, Any]],
    response_schema: Mapping[str, Any] | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
    route: Route | None = None,
) -> Completion:
    """A background task's answer, as text. Blocks; safe from many threads.

    response_schema: a JSON schema for the answer, enforced where the provider can; without promise elsewhere.
    timeout: seconds for the whole call (default: the route's). route: overrides the task's.
    """
    route = route or route_for(task)
    if timeout is not None:
        route = replace(route, timeout_seconds=timeout)
    _require_model(route)
    body: dict[str, Any] = {"messages": [dict(message) for message in messages]}
    if max_tokens is not None:
        body[params.limit_name(route)] = max_tokens
    # Here and not inside: the first import must not eat up the time of the call.
    library.load()
    return loop.run(_bounded(_complete(body, route, response_schema), route))


async def _complete(body: dict[str, Any], route: Route, schema: Mapping[str, Any] | None) -> Completion:
    if schema is None or not _may_take_schema(route):
        return completion(await _whole(body, route), route)
    try:
        response = await _whole(params.with_schema(body, schema), route)
        quirks.remember(route, quirks.RESPONSE_FORMAT, taken=True)
        return completion(response, route)
    except ModelRefusedRequest:
        if quirks.takes(route, quirks.RESPONSE_FORMAT):
            raise
    # Refused, perhaps for the format alone: once more without.
    response = await _whole(body, route)
    quirks.remember(route, quirks.RESPONSE_FORMAT, taken=False)
    return completion(response, route)


async def chat(request: ChatRequest) -> dict[str, Any]:
    """The provider's answer as OpenAI's response."""
    _require_model(request.route)
    await warm_up()
    return await _whole(request.body, request.route)


async def chat_stream(request: ChatRequest) -> ChatStream:
    """Opens the provider's answer, to be iterated; errors before its first byte are raised here."""
    route = request.route
    _require_model(route)
    await warm_up()
    upstream = await _open(request, route)
    return ChatStream(upstream, route, include_usage=request.wants_usage)


async def _open(request: ChatRequest, route: Route) -> Upstream:
    body = request.body
    if not route.speaks_openai:
        return Upstream(await _answer(params.mapped(body, route, stream=True), route), route)
    known = quirks.takes(route, quirks.STREAM_OPTIONS)
    if request.wants_usage or known is not False:
        try:
            call = params.verbatim(params.with_usage(body), route, stream=True)
            upstream = Upstream(await _answer(call, route), route)
            quirks.remember(route, quirks.STREAM_OPTIONS, taken=True)
            return upstream
        except ModelRefusedRequest:
            if request.wants_usage or known:
                raise
    # We, not the client, asked for the token counts; a server that cannot give them may still answer.
    upstream = Upstream(await _answer(params.verbatim(body, route, stream=True), route), route)
    quirks.remember(route, quirks.STREAM_OPTIONS, taken=False)
    return upstream


async def warm_up() -> None:
    """Loads litellm without holding up the event loop. A web process calls this while it starts."""
    if not library.is_loaded():
        await asyncio.to_thread(library.load)


async def close() -> None:
    """Closes the connections that this event loop keeps open; for its end."""
    await library.close_clients()


async def _whole(body: Mapping[str, Any], route: Route) -> dict[str, Any]:
    """An answer that does not stream, as OpenAI's response."""
    if not route.speaks_openai:
        return as_response(await _answer(params.mapped(body, route, stream=False), route), route)

    async def read() -> dict[str, Any]:
        wrapper = await library.load().acompletion(**params.verbatim(body, route, stream=False))
        return await Upstream(wrapper, route).whole()

    return as_response(await _bounded(read(), route), route)


async def _answer(call: dict[str, Any], route: Route) -> Any:
    """One call through litellm."""
    return await _bounded(library.load().acompletion(**call), route)


async def _bounded(work: Awaitable[T], route: Route) -> T:
    """Waits for it as long as the route allows, and translates its failure."""
    failure: ModelError
    try:
        async with asyncio.timeout(route.timeout_seconds):
            return await work
    except Exception as error:
        failure = translate(error, route)
    # Outside the handler: litellm's exception holds the request, and with it the key.
    raise failure


def _may_take_schema(route: Route) -> bool:
    if quirks.takes(route, quirks.RESPONSE_FORMAT) is False:
        return False
    if route.speaks_openai or route.provider == "ollama":
        return True
    return bool(library.load().supports_response_schema(model=route.litellm_model))


def _require_model(route: Route) -> None:
    if route.is_rule_based:
        raise RuntimeError("the builtin provider has no language model; memory.builtin does its work")
