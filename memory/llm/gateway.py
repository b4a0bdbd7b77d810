"""The calls to language models: `complete` for workers, `chat` and `chat_stream` for people who wait.

Each call is made once; what fails raises one of the model errors of `memory.errors`. Call with no
transaction open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.config import Task
from memory.errors import ModelError, ModelRefusedRequest
from memory.llm import library, loop, params, quirks
from memory.llm.answers import Completion, completion, response_dict
from memory.llm.errors import nonsense, translate
from memory.llm.routing import Route, route_for
from memory.llm.stream import ChatStream
from memory.llm.upstream import Upstream

__all__ = ["ChatRequest", "ChatStream", "Completion", "chat", "chat_stream", "complete", "warm_up"]


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
    return loop.run(_complete([dict(m) for m in messages], route, response_schema, max_tokens))


async def _complete(
    messages: list[dict[str, Any]],
    route: Route,
    schema: Mapping[str, Any] | None,
    max_tokens: int | None,
) -> Completion:
    await warm_up()
    with_schema = schema is not None and _takes_schema(route)
    if with_schema:
        assert schema is not None
        call = params.task_call(
            messages, route, max_tokens=max_tokens, response_format=params.json_schema_format(schema)
        )
        try:
            return completion(await _answer(call, route), route)
        except ModelRefusedRequest:
            # Perhaps for the format alone: once more without.
            pass
    call = params.task_call(messages, route, max_tokens=max_tokens, response_format=None)
    found = completion(await _answer(call, route), route)
    if with_schema:
        quirks.remember(route, quirks.RESPONSE_FORMAT)
    return found


async def chat(request: ChatRequest) -> dict[str, Any]:
    """The provider's answer as OpenAI's response."""
    route = request.route
    _require_model(route)
    await warm_up()
    call = params.chat_call(request.body, route, stream=False, stream_options=False)
    return response_dict(await _answer(call, route), route)


async def chat_stream(request: ChatRequest) -> ChatStream:
    """Opens the provider's answer, to be iterated; errors before its first byte are raised here."""
    route = request.route
    _require_model(route)
    await warm_up()
    ask = request.wants_usage or not quirks.refuses(route, quirks.STREAM_OPTIONS)
    try:
        wrapper = await _answer(params.chat_call(request.body, route, stream=True, stream_options=ask), route)
    except ModelRefusedRequest:
        if request.wants_usage or not ask or not route.speaks_openai:
            raise
        # We, not the client, asked for the token counts; a server that cannot give them may still answer.
        call = params.chat_call(request.body, route, stream=True, stream_options=False)
        wrapper = await _answer(call, route)
        quirks.remember(route, quirks.STREAM_OPTIONS)
    return ChatStream(Upstream(wrapper, route), route, include_usage=request.wants_usage)


async def warm_up() -> None:
    """Loads litellm without holding up the event loop. A web process calls this while it starts."""
    if not library.is_loaded():
        await asyncio.to_thread(library.load)


async def close() -> None:
    """Closes this event loop's connections; for the end of a process."""
    if library.is_loaded():
        await library.load().close_litellm_async_clients()


async def _answer(call: dict[str, Any], route: Route) -> Any:
    """One call through litellm, bounded as a whole, its failure translated."""
    failure: ModelError
    try:
        async with asyncio.timeout(route.timeout_seconds):
            answer = await library.load().acompletion(**call)
        if answer is not None:
            return answer
        failure = nonsense("its answer was lost on the way", route)
    except Exception as error:
        failure = translate(error, route)
    # Outside the handler: litellm's exception holds the request, and with it the key.
    raise failure


def _takes_schema(route: Route) -> bool:
    if quirks.refuses(route, quirks.RESPONSE_FORMAT):
        return False
    if route.speaks_openai or route.provider == "ollama":
        return True
    return bool(library.load().supports_response_schema(model=route.litellm_model))


def _require_model(route: Route) -> None:
    if route.is_rule_based:
        raise RuntimeError("the builtin provider has no language model; memory.builtin does its work")
