"""An SQLite file of CAESAR: `personal_facts`, and the chats of `audit_log`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from memory.domain.text import text_of
from memory.portable.formats import sqlite
from memory.portable.found import Conversation, Found, FoundFact, Message, Skipped, share, text_in, time_of

QUESTIONS = ("user_message", "message", "prompt", "input", "user", "question")
ANSWERS = ("response", "answer", "reply", "output", "assistant", "assistant_message")


def read(found: sqlite3.Connection) -> Iterator[Found]:
    there = sqlite.tables(found)
    for row in sqlite.rows(found, "personal_facts"):
        yield _fact(row)
    if "audit_log" in there:
        for row in sqlite.rows(found, "audit_log"):
            if "chat.completed" in (row.get("eventtype"), row.get("event"), row.get("kind"), row.get("type")):
                yield _chat(row)


def _fact(row: dict[str, Any]) -> FoundFact | Skipped:
    key, value = text_in(row.get("key")), text_in(row.get("value"))
    if not key.strip() or not value.strip():
        return Skipped(sqlite.place("personal_facts", row), "a fact without a key or a value")
    edits = row.get("editcount")
    return FoundFact(
        value.strip(),
        key=key,
        at=time_of(row.get("lastconfirmedat")) or time_of(row.get("firstseenat")),
        valid_from=time_of(row.get("firstseenat")),
        confidence=share(row.get("confidence"), 1.0),
        own=isinstance(edits, int) and edits > 0,
    )


def _chat(row: dict[str, Any]) -> Conversation | Skipped:
    """One row, one conversation, unless it says of which it is."""
    where = sqlite.place("audit_log", row)
    payload: Any = next((row[name] for name in ("payload", "payloadjson", "data", "details") if row.get(name)), None)
    if isinstance(payload, str):
        with suppress(ValueError, RecursionError):
            payload = json.loads(payload)
    if not isinstance(payload, dict):
        return Skipped(where, "a chat whose payload cannot be read")
    times = ("createdat", "at", "timestamp", "ts", "occurredat", "time")
    at = next((found for name in times if (found := time_of(row.get(name)))), None)
    messages = list(_messages(payload))
    if not messages:
        return Skipped(where, "a chat without messages")
    thread = text_in(payload.get("conversation_id")) or text_in(payload.get("session_id"))
    named = thread or f"row-{row.get('id')}"
    numbered = [
        Message(said.role, said.text, f"{row.get('id')}-{n}", at, model=text_in(payload.get("model")))
        for n, said in enumerate(messages)
    ]
    return Conversation(named, numbered, at)


def _messages(payload: dict[str, Any]) -> Iterator[Message]:
    said = payload.get("messages")
    for message in said if isinstance(said, list) else []:
        if isinstance(message, dict) and message.get("role") in ("user", "assistant"):
            text = text_of(message.get("content")) or text_in(message.get("text"))
            if text.strip():
                yield Message(str(message["role"]), text)
    if not said:
        yield from _named(payload, "user", QUESTIONS)
    yield from _named(payload, "assistant", ANSWERS)


def _named(payload: dict[str, Any], role: str, names: tuple[str, ...]) -> Iterator[Message]:
    for name in names:
        value = payload.get(name)
        text = text_in(value) or (text_in(value.get("text") or value.get("content")) if isinstance(value, dict) else "")
        if text.strip():
            yield Message(role, text)
            return
