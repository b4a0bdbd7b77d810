"""The messages that ask a model for facts and a summary, and the schema of its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cache
from importlib import resources
from typing import Any

from .text import clamp, one_line
from .types import Cardinality, Category, Message, Op, Scope, Stance, is_document

PROMPT_VERSION = "extract.v1"
DOCUMENT_VERSION = "document.v1"  # for what a person gives to be read, and did not say
MAX_KNOWN_KEYS = 50
MAX_KNOWN_VALUE = 80
MAX_MESSAGE = 8000
MAX_REPAIRED = 4000

_OPTIONAL_NUMBER = {"type": ["number", "null"]}
_OPTIONAL_TEXT = {"type": ["string", "null"]}
_FACT: dict[str, Any] = {
    "key": _OPTIONAL_TEXT,
    "value": {"type": "string"},
    "confidence": {"type": "number"},
    "category": {"type": "string", "enum": [member.value for member in Category]},
    "scope": {"type": "string", "enum": [member.value for member in Scope]},
    "importance": _OPTIONAL_NUMBER,
    "cardinality": {"type": "string", "enum": [member.value for member in Cardinality]},
    "op": {"type": "string", "enum": [member.value for member in Op]},
    "stance": {"type": "string", "enum": [member.value for member in Stance]},
    "quote": _OPTIONAL_TEXT,
    "valid_from": _OPTIONAL_TEXT,
}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXTS = {"type": "array", "items": {"type": "string"}}
REPLY_SCHEMA: dict[str, Any] = _object(
    {
        "facts": {"type": "array", "items": _object(_FACT)},
        "summary": _OPTIONAL_TEXT,
        "decisions": _TEXTS,
        "open_questions": _TEXTS,
        "people": _TEXTS,
    }
)


@cache
def instructions(version: str = PROMPT_VERSION) -> str:
    """The fixed part of the prompt. It comes first and never changes within a version, so providers cache it."""
    return resources.files("memory.prompts").joinpath(f"{version}.txt").read_text(encoding="utf-8").strip()


def version_for(messages: Sequence[Message]) -> str:
    """The prompt that these are read with."""
    return DOCUMENT_VERSION if is_document(messages) else PROMPT_VERSION


def extraction_messages(
    *,
    messages: Sequence[Message],
    known_keys: Mapping[str, str] | Sequence[tuple[str, str]],
    chat_time: datetime,
    timezone: tzinfo,
    language: str | None,
    want_facts: bool = True,
    want_summary: bool = True,
    so_far: Mapping[str, Any] | None = None,
) -> list[dict[str, str]]:
    """The request for one conversation or document: the rules for such, then what is particular to it.

    chat_time: when the last turn was said (aware); dates in it are worked out from that day in `timezone`.
    known_keys: what is known already (key, value), most related first. so_far: the summary of what was said before,
    with its lists. Each message is one line of JSON, so nothing in it can pass for a role; those with new=False are
    marked as context, those said on another day carry theirs.
    """
    local = chat_time.astimezone(timezone)
    lines = [
        f"Local date and time of the conversation: {local:%A %Y-%m-%d %H:%M} ({_zone_name(timezone, local)}).",
        f"Language of the person: {one_line(language)[:40]}. Keep it." if language else "Keep the person's language.",
        "Wanted: " + _wanted(want_facts, want_summary),
    ]
    known = list(known_keys.items() if isinstance(known_keys, Mapping) else known_keys)[:MAX_KNOWN_KEYS]
    if want_facts and known:
        lines += [
            "",
            "Known already (use these keys; repeat a fact only if it was said again or has changed):",
        ]
        lines += [f"{clamp(one_line(key), 120)} = {_json(_short(value))}" for key, value in known]
    if want_summary and so_far:
        lines += ["", f"Summary so far: {_json(so_far)}"]
    days = [_day_of(message, timezone, local) for message in messages]
    if any(days):
        lines += ["", 'A message with a "date" was said on that day: work out dates in it from there.']
    if is_document(messages):
        lines += ["", f"The document {_json(messages[-1].document)}, one part a line:"]
    else:
        lines += ["", "The conversation, one message a line:"]
    lines += [_line(message, day) for message, day in zip(messages, days, strict=True) if message.text.strip()]
    return [
        {"role": "system", "content": instructions(version_for(messages))},
        {"role": "user", "content": "\n".join(lines)},
    ]


def repair_messages(previous_messages: Sequence[Mapping[str, str]], raw: str, reason: str) -> list[dict[str, str]]:
    """The same request once more, with the answer that could not be used and why."""
    return [
        *(dict(message) for message in previous_messages),
        {"role": "assistant", "content": clamp(raw, MAX_REPAIRED) or "(nothing)"},
        {
            "role": "user",
            "content": f"That answer cannot be used: {one_line(reason)} Answer again with one JSON object of the form "
            '{"facts": [...], "summary": ..., "decisions": [...], "open_questions": [...], "people": [...]} '
            "and nothing else: no prose, no code fence, no thoughts.",
        },
    ]


def _wanted(facts: bool, summary: bool) -> str:
    if facts and summary:
        return "facts and summary."
    return 'facts only; "summary" is null.' if facts else 'summary only; "facts" is [].'


def _day_of(message: Message, timezone: tzinfo, local: datetime) -> str | None:
    """The day on which a message was said, where it is not that of the conversation."""
    at = message.at.astimezone(timezone) if message.at else local
    return None if at.date() == local.date() else f"{at:%A %Y-%m-%d}"


def _line(message: Message, day: str | None) -> str:
    line: dict[str, Any] = {"role": message.role, "text": clamp(message.text, MAX_MESSAGE)}
    if message.document:
        line = ({} if message.page is None else {"page": message.page}) | {"text": line["text"]}
    elif day:
        line = {"date": day, **line}
    return _json(line if message.new else {"context": True, **line})


def _short(value: str) -> str:
    value = one_line(value)
    return value if len(value) <= MAX_KNOWN_VALUE else value[: MAX_KNOWN_VALUE - 1] + "\u2026"


def _json(value: object) -> str:
    # Line separators that JSON lets through would begin a new line for some readers.
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\u0085", "\\u0085")


def _zone_name(zone: tzinfo, local: datetime) -> str:
    return getattr(zone, "key", None) or local.tzname() or "UTC"
