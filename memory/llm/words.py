"""A provider's own words about an error: short, and without any key."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx

MOST_CHARACTERS = 500
# Shorter "keys" ("none", "x") belong to servers that ask for none, and stand in ordinary words.
_SHORTEST_KEY = 6

_LITELLM_PREFIX = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)\w*\s*[:-]\s*)+")
# What looks like a key. Ours is replaced by value besides.
_KEYLIKE = re.compile(r"\b(?:sk|pk|gsk|xai|key)-[\w*.-]{6,}|(?i:bearer)\s+[\w*.~+/=-]{8,}|\bAIza[\w-]{20,}")


def own_words(response: httpx.Response, api_key: str) -> str:
    """What the provider says in the body of an error answer, in whichever shape it says it."""
    try:
        text = response.text
    except httpx.ResponseNotRead:
        return ""
    try:
        body = json.loads(text)
    except ValueError:
        # An HTML page of some proxy in between says nothing to anyone.
        return "" if text.lstrip().startswith("<") else clean(text, api_key)
    return clean(_message(body) or text, api_key)


def without_keys(text: str, api_key: str) -> str:
    """The text with our key, and everything that looks like one, taken out."""
    if len(api_key) >= _SHORTEST_KEY:
        text = text.replace(api_key, "[key]")
    return _KEYLIKE.sub("[key]", text)


def clean(text: str, api_key: str) -> str:
    """One line, clamped, without keys and without litellm's own prefixes."""
    text = without_keys(text, api_key).partition("Traceback (most recent call last)")[0]
    text = _LITELLM_PREFIX.sub("", " ".join(text.split()))
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _message(body: Any) -> str:
    """OpenAI and Anthropic say `error.message`, Ollama `error`, others `message` or `detail`."""
    if isinstance(body, str):
        return body
    if isinstance(body, dict):
        for name in ("error", "message", "detail"):
            if name in body and (found := _message(body[name])):
                return found
    if isinstance(body, list):
        return "; ".join(filter(None, (_message(item) for item in body)))
    return ""
