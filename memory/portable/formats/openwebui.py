"""Open WebUI's chat export: for each chat a tree of messages under `chat.history`, or a list under `chat.messages`."""

from __future__ import annotations

from typing import Any

from memory.portable.found import Conversation, Message, Skipped, text_in, time_of

ROLES = ("user", "assistant", "tool")


def read(record: dict[str, Any]) -> Conversation | Skipped:
    """The branch that the person saw last."""
    chat = record.get("chat")
    if not isinstance(chat, dict):
        return Skipped("", "no chat of Open WebUI")
    named = text_in(record.get("id")) or text_in(chat.get("id"))
    if not named:
        return Skipped("", "a chat of Open WebUI without an id")
    messages = [message for each in _branch(chat) if (message := _said(each))]
    at = time_of(record.get("created_at")) or time_of(chat.get("timestamp"))
    return Conversation(named, messages, at, text_in(record.get("title")) or text_in(chat.get("title")))


def _branch(chat: dict[str, Any]) -> list[dict[str, Any]]:
    history = chat.get("history")
    nodes = history.get("messages") if isinstance(history, dict) else None
    if not isinstance(history, dict) or not isinstance(nodes, dict) or not nodes:
        plain = chat.get("messages")
        return [each for each in plain if isinstance(each, dict)] if isinstance(plain, list) else []
    at: Any = history.get("currentId")
    if not isinstance(at, str) or at not in nodes:
        at = list(nodes)[-1]
    branch: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in nodes and at not in seen and isinstance(nodes[at], dict):
        seen.add(at)
        branch.append({"id": at, **nodes[at]})
        at = nodes[at].get("parentId")
    return branch[::-1]


def _said(message: dict[str, Any]) -> Message | None:
    role, content = text_in(message.get("role")), message.get("content")
    if isinstance(content, list):
        content = "\n".join(text_in(part.get("text")) for part in content if isinstance(part, dict))
    text = text_in(content)
    if role not in ROLES or not text.strip():
        return None
    model = text_in(message.get("model")) if role == "assistant" else ""
    return Message(role, text, text_in(message.get("id")), time_of(message.get("timestamp")), model=model)
