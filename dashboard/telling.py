"""An event of the log as a sentence."""

from __future__ import annotations

import re
from typing import Any

from memory.models import AuditLog, Event

SHOWN = 120
_PART = re.compile(r"\{(\w+)\}")

SENTENCES = {
    Event.FACT_ADDED: "Learned {key}: {value}",
    Event.FACT_CONFIRMED: "Heard again, {key}: {value}",
    Event.FACT_UPDATED: "Changed {key}: {value} {was}",
    Event.FACT_PROPOSED: "Waits for review, {key}: {value}",
    Event.FACT_RETRACTED: "No longer so, {key}: {value}",
    Event.FACT_USER_EDITED: "You corrected {key}",
    Event.FACT_USER_DELETED: "You deleted {key}",
    Event.EXTRACT_FAILED: "A chat could not be read, it will be tried again: {reason}",
    Event.EXTRACT_DEAD: "A chat could not be read and was given up: {reason}",
    Event.SETTINGS_CHANGED: "Setting changed: {settings}",
}


def told(row: AuditLog) -> str:
    """One line about the row. Whatever its payload holds, this does not fail."""
    payload = row.payload if isinstance(row.payload, dict) else {}
    if row.event_type == Event.CHAT_COMPLETED:
        return _chat(payload)
    sentence = next((text for event, text in SENTENCES.items() if event.value == row.event_type), None)
    if sentence is None:
        return row.event_type
    parts = {
        "key": payload.get("key") or "a fact",
        "value": payload.get("value", ""),
        "was": _was(payload.get("old")),
        "reason": payload.get("reason", ""),
        "settings": _settings(payload),
    }
    # Not `str.format`: a value with braces is a value.
    return _PART.sub(lambda match: _short(parts[match[1]]), sentence).strip()


def _chat(payload: dict[str, Any]) -> str:
    if payload.get("off_record"):
        return "Chat, off the record"
    messages = payload.get("messages")
    said = [m for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
    text = next((m.get("text") for m in reversed(said) if m.get("role") == "user" and m.get("text")), "")
    return f"Chat: “{_short(text)}”" if text else "Chat"


def _was(old: Any) -> str:
    values = [str(o.get("value", "")) for o in old if isinstance(o, dict)] if isinstance(old, list) else []
    return f"(was {', '.join(values)})" if values else ""


def _settings(payload: dict[str, Any]) -> str:
    new = payload.get("new")
    if isinstance(new, dict):
        return ", ".join(f"{name} = {value}" for name, value in new.items())
    return " ".join(str(payload[k]) for k in ("subject", "name", "did") if k in payload)


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
