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


def response_dict(response: Any, route: Route) -> dict[str, Any]:
    """OpenAI's response as a dict, with what litellm set aside or added put back as the provider wrote it."""
    body: dict[str, Any] = response.model_dump(warnings=False)
    if not body.get("id"):
        body["id"] = f"chatcmpl-{uuid.uuid4().hex}"
    body["object"] = "chat.completion"
    body["created"] = body.get("created") or int(time.time())
    # litellm puts its own name of the provider before it.
    body["model"] = (
        str(body.get("model") or route.model).removeprefix("custom_openai/").removeprefix("ollama_chat/")
    )
    _restore(body)
    for name in ("system_fingerprint", "service_tier"):
        if body.get(name) is None:
            body.pop(name, None)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise nonsense("its answer has no choices", route, raw=clamped(body))
    for choice in choices:
        _restore(choice)
        message = choice.get("message")
        if isinstance(message, dict):
            _restore(message)
            for name in _ADDED:
                if message.get(name) is None:
                    message.pop(name, None)
    body["usage"] = _usage_dict(body.get("usage"))
    if body["usage"] is None:
        del body["usage"]
    return body


def completion(response: Any, route: Route) -> Completion:
    """The first choice's text. An answer without text is nonsense, never "nothing to learn"."""
    body = response_dict(response, route)
    choice = body["choices"][0]
    message = choice.get("message") or {}
    text = _text(message.get("content"))
    reason = str(choice.get("finish_reason") or "")
    if not text.strip():
        said = ", it only reasoned" if message.get("reasoning_content") else ""
        said = ", it refused" if message.get("refusal") else said
        raise nonsense(
            f"the model's answer was empty{said} (finish_reason {reason})", route, raw=clamped(message)
        )
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


def _usage_dict(usage: Any) -> dict[str, Any] | None:
    """None for litellm's all-zero stand-in: an unknown count is left out, not said to be 0."""
    if Usage.of(usage) == Usage():
        return None
    return {name: value for name, value in usage.items() if value is not None}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [p.get("text") for p in content if isinstance(p, dict)]
        return "".join(p for p in parts if isinstance(p, str))
    return ""
