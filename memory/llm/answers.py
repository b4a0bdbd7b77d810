"""A provider's whole answer: for a client as OpenAI's response, for a worker as a Completion."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass
from typing import Any

from memory.llm.errors import nonsense
from memory.llm.routing import Route
from memory.llm.usage import Usage

# Fields that litellm adds to every message, null or empty where the provider said nothing.
_ADDED = (
    "tool_calls",
    "function_call",
    "audio",
    "reasoning_content",
    "annotations",
    "images",
    "thinking_blocks",
)
MOST_RAW = 20_000


@dataclass(frozen=True)
class Completion:
    """A worker's answer. `text` is never empty; `finish_reason` "length" says that it was cut."""

    text: str
    usage: Usage
    model: str
    provider: str
    finish_reason: str


def as_response(answer: Any, route: Route) -> dict[str, Any]:
    """OpenAI's response as a dict: a provider's own body, or litellm's object, completed where it is poor."""
    if isinstance(answer, dict):
        body = {**answer}
    elif hasattr(answer, "model_dump"):
        body = _plain(answer.model_dump(warnings=False))
    else:
        # litellm gives None for some refusals that it tried to talk its way round.
        raise nonsense("it gave no answer", route)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not all(isinstance(c, dict) for c in choices):
        raise nonsense("its answer has no choices", route, raw=clamped(body))
    body["id"] = body.get("id") or f"chatcmpl-{uuid.uuid4().hex}"
    body["object"] = "chat.completion"
    body["created"] = body.get("created") or int(time.time())
    body["model"] = body.get("model") or route.model
    body["choices"] = [_choice(position, choice) for position, choice in enumerate(choices)]
    if Usage.of(body.get("usage")) == Usage():
        # litellm says 0 where it does not know; an unknown count is left out.
        body.pop("usage", None)
    return body


def _choice(position: int, choice: dict[str, Any]) -> dict[str, Any]:
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    return {
        "index": position,
        **choice,
        "message": {"role": "assistant", "content": None, **message},
        "finish_reason": choice.get("finish_reason") or "stop",
    }


def _plain(body: dict[str, Any]) -> dict[str, Any]:
    """litellm's dump without the fields that it adds to everything."""
    _restore(body)
    for name in ("system_fingerprint", "service_tier"):
        if body.get(name) is None:
            body.pop(name, None)
    # litellm puts its own name of the provider before the model.
    body["model"] = str(body.get("model") or "").rpartition("ollama_chat/")[2]
    for choice in body.get("choices") or []:
        _restore(choice)
        message = choice.get("message")
        if isinstance(message, dict):
            _restore(message)
            for name in _ADDED:
                if message.get(name) is None:
                    message.pop(name, None)
    if isinstance(body.get("usage"), dict):
        body["usage"] = {name: value for name, value in body["usage"].items() if value is not None}
    return body


def completion(body: dict[str, Any], route: Route) -> Completion:
    """The first choice's text of a response. One without text is nonsense, never "nothing to learn"."""
    choice = body["choices"][0]
    message = choice["message"]
    text = _text(message.get("content"))
    reason = str(choice["finish_reason"])
    if not text.strip():
        said = ", it only reasoned" if message.get("reasoning_content") else ""
        said = ", it refused" if message.get("refusal") else said
        raise nonsense(f"the model's answer was empty{said} (finish_reason {reason})", route, raw=clamped(message))
    usage = Usage.of(body.get("usage"))
    return Completion(text, usage, str(body["model"]), route.provider, reason)


def clamped(value: Any) -> str:
    """For a person to look at later; bounded."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text[:MOST_RAW]


def _restore(part: dict[str, Any]) -> None:
    """litellm keeps fields it does not know aside in `provider_specific_fields`."""
    aside = part.pop("provider_specific_fields", None)
    if isinstance(aside, dict):
        for name, value in aside.items():
            if value is not None:
                part.setdefault(name, value)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [p.get("text") for p in content if isinstance(p, dict)]
        return "".join(p for p in parts if isinstance(p, str))
    return ""
