"""ChatGPT's data export: `conversations.json`, a tree of messages for each conversation."""

from __future__ import annotations

from typing import Any

from memory.portable.found import Conversation, Message, Skipped, text_in, time_of

ROLES = ("user", "assistant", "tool")
READABLE = ("text", "multimodal_text", "code", "execution_output")


def read(record: dict[str, Any]) -> Conversation | Skipped:
    """The branch that the person saw last."""
    nodes = record.get("mapping")
    named = text_in(record.get("conversation_id")) or text_in(record.get("id"))
    if not isinstance(nodes, dict) or not named:
        return Skipped("", "no conversation of ChatGPT")
    messages = [said for node in _branch(nodes, record.get("current_node")) if (said := _said(node))]
    return Conversation(named, messages, time_of(record.get("create_time")), text_in(record.get("title")))


def _branch(nodes: dict[str, Any], current: Any) -> list[dict[str, Any]]:
    """From the root to the current node; where that is missing, to the newest leaf."""
    at = current if isinstance(current, str) and current in nodes else _newest(nodes)
    branch: list[dict[str, Any]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in nodes and at not in seen and isinstance(nodes[at], dict):
        seen.add(at)
        branch.append(nodes[at])
        at = nodes[at].get("parent")
    return branch[::-1]


def _newest(nodes: dict[str, Any]) -> str | None:
    leaves = {name: node for name, node in nodes.items() if isinstance(node, dict) and not node.get("children")}
    return max(leaves, key=lambda name: (_time(leaves[name]), name), default=None)


def _time(node: dict[str, Any]) -> float:
    message = node.get("message")
    at = time_of(message.get("create_time")) if isinstance(message, dict) else None
    return at.timestamp() if at else 0.0


def _said(node: dict[str, Any]) -> Message | None:
    message = node.get("message")
    if not isinstance(message, dict):
        return None
    author, content, about = (_object(message, name) for name in ("author", "content", "metadata"))
    role = author.get("role")
    hidden = about.get("is_visually_hidden_from_conversation") is True
    if role not in ROLES or hidden or content.get("content_type", "text") not in READABLE:
        return None
    text = _text(content)
    if not text.strip():
        return None
    model = text_in(about.get("model_slug")) if role == "assistant" else ""
    name = text_in(author.get("name"))
    return Message(str(role), text, text_in(message.get("id")), time_of(message.get("create_time")), name, model)


def _object(message: dict[str, Any], name: str) -> dict[str, Any]:
    found = message.get(name)
    return found if isinstance(found, dict) else {}


def _text(content: dict[str, Any]) -> str:
    parts = content.get("parts")
    if not isinstance(parts, list):
        return text_in(content.get("text"))
    texts = (part if isinstance(part, str) else text_in(_object({"p": part}, "p").get("text")) for part in parts)
    return "\n".join(text for text in texts if text)
