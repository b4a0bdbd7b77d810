"""Translates what litellm raises into our typed errors: may it be tried again, and what can be done about it.

litellm's own class and status are not to be trusted (a refused port, a hang-up and a reply that is no JSON
all arrive as status 500), so the chain of causes is read: the real HTTP answer first, then time-outs, then
the socket.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx

from memory.errors import (
    ModelDown,
    ModelError,
    ModelMisconfigured,
    ModelNonsense,
    ModelRateLimited,
    ModelRefusedRequest,
    ModelTimeout,
)
from memory.llm.retry_after import retry_after
from memory.llm.routing import Route
from memory.llm.sse import EventTooLarge
from memory.llm.words import clean, own_words, without_keys

SAID = " It said: "  # before a provider's own words
_KEY_SETTINGS = {
    "anthropic": "CAESAR_LLM__ANTHROPIC__API_KEY",
    "openai": "CAESAR_LLM__OPENAI__API_KEY",
    "voyage": "CAESAR_SEMANTIC__VOYAGE_API_KEY",
}


def translate(error: BaseException, route: Route) -> ModelError:
    """The typed error for whatever a call to this route raised. Its message holds no key."""
    chain = list(_chain(error))
    for found in chain:
        if isinstance(found, ModelError):
            return found
        response = getattr(found, "response", None)
        if isinstance(found, httpx.HTTPStatusError) and isinstance(response, httpx.Response):
            return from_status(response.status_code, own_words(response, route.api_key), route, response.headers)
    said = clean(str(error), route.api_key)
    if "LLM Provider NOT provided" in said:
        return ModelMisconfigured(
            f"There is no provider {route.provider!r}. Check {route.section}__PROVIDER.",
            provider=route.provider,
            model=route.model,
        )
    if any(type(e).__name__ == "OpenAIError" and "Missing credentials" in str(e) for e in chain):
        return from_status(401, "", route)
    if any(isinstance(e, TimeoutError | httpx.TimeoutException) for e in chain):
        return timed_out(route)
    if any(isinstance(e, httpx.TransportError | OSError) for e in chain):
        return down(route)
    if any(isinstance(e, EventTooLarge) for e in chain):
        return nonsense("its answer does not end", route)
    if any(isinstance(e, json.JSONDecodeError | KeyError | TypeError | AttributeError) for e in chain):
        return nonsense("its answer could not be read", route, raw=said)
    status = getattr(error, "status_code", None)
    # 422 is what litellm makes up for an error object inside a 200 answer; nobody knows whether it will last.
    if isinstance(status, int) and 400 <= status < 600 and status not in (422, 500):
        return from_status(status, said, route)
    return down(route, said)


def from_status(
    status: int, words: str, route: Route, headers: httpx.Headers | dict[str, str] | None = None
) -> ModelError:
    """The typed error for an HTTP status that the provider answered with, in its own `words`."""
    said = f"{SAID}{words}" if words else ""
    names: dict[str, Any] = {"provider": route.provider, "model": route.model}
    if status == 429:
        seconds = retry_after(headers)
        when = "later" if seconds is None else f"in {seconds:.0f} s"
        message = f"{_who(route)} takes no more requests for now; try again {when}.{said}"
        return ModelRateLimited(message, retry_after=seconds, **names)
    if status in (401, 403):
        setting = _KEY_SETTINGS.get(route.provider, f"the API key of {route.provider}")
        return ModelMisconfigured(f"{_who(route)} refuses access. Check {setting}.{said}", **names)
    if status == 402:
        return ModelMisconfigured(f"{_who(route)} wants to be paid before it answers.{said}", **names)
    if status in (404, 405):
        message = f"{_who(route)} was not found{_where(route)}. Check the model's name and the base URL.{said}"
        return ModelMisconfigured(message, **names)
    if status in (408, 504):
        return timed_out(route)
    if status in (409, 425) or status >= 500:
        failed = ModelDown(f"{_who(route)} failed with status {status}.{said}", **names)
        failed.retry_after = retry_after(headers)
        return failed
    return ModelRefusedRequest(f"{_who(route)} does not take this request (status {status}).{said}", **names)


def down(route: Route, words: str = "") -> ModelDown:
    message = (
        f"{_who(route)} failed: {words}"
        if words
        else f"{_who(route)} cannot be reached{_where(route)}, or hung up. Is it running?"
    )
    return ModelDown(message, provider=route.provider, model=route.model)


def hung_up(route: Route, words: str = "") -> ModelDown:
    why = f"broke its answer off: {words}" if words else "hung up in the middle of its answer."
    return ModelDown(f"{_who(route)} {why}", provider=route.provider, model=route.model)


def timed_out(route: Route) -> ModelTimeout:
    message = f"{_who(route)} did not answer within {route.timeout_seconds:g} s (CAESAR_LLM__TIMEOUT_SECONDS)."
    return ModelTimeout(message, provider=route.provider, model=route.model)


def nonsense(what: str, route: Route, *, raw: str = "") -> ModelNonsense:
    """It answered, but not with anything usable; `raw` is kept for a person, without keys."""
    message = f"{_who(route)} spoke nonsense: {what}."
    raw = without_keys(raw, route.api_key)
    return ModelNonsense(message, provider=route.provider, model=route.model, raw=raw)


def _who(route: Route) -> str:
    return f"The model {route.identity}"


def _where(route: Route) -> str:
    return f" at {route.address}" if route.base_url else ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
