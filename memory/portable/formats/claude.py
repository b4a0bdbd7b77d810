"""Claude's data export: `conversations.json`, a list of messages for each conversation."""

from __future__ import annotations

from typing import Any

from memory.portable.found import Conversation, Message, Skipped, text_in, time_of

ROLES = {"human": "user", "assistant": "assistant"}


def read(record: dict[str, Any]) -> Conversation | Skipped:
    named, said = text_in(record.get("uuid")), record.get("chat_messages")
    if not named or not isinstance(said, list):
        return Skipped("", "no conversation of Claude")
    messages = [message for each in said if isinstance(each, dict) and (message := _said(each))]
    return Conversation(named, messages, time_of(record.get("created_at")), text_in(record.get("name")))


def _said(message: dict[str, Any]) -> Message | None:
    """What was written; the files beside it are other people's text as often as not, and stay behind."""
    role = ROLES.get(text_in(message.get("sender")))
    text = _text(message)
    if role is None or not text.strip():
        return None
    return Message(role, text, text_in(message.get("uuid")), time_of(message.get("created_at")))


def _text(message: dict[str, Any]) -> str:
    """The parts that are text; older exports have the text alone."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    texts = [
        text_in(part.get("text")) for part in parts if isinstance(part, dict) and part.get("type", "text") == "text"
    ]
    return "\n".join(text for text in texts if text) or text_in(message.get("text"))
