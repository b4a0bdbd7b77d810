"""The order of messages that a strict provider insists on."""

from __future__ import annotations

from typing import Any


def complaint(messages: list[dict[str, Any]]) -> str | None:
    """What a strict provider would say about these messages, or None when it takes them.

    Each assistant message with `tool_calls` must be followed at once by one tool message for each of its
    calls, and a tool message must answer a call that is open.
    """
    waiting: list[str] = []
    for position, message in enumerate(messages):
        role = message.get("role")
        if role == "tool":
            call = message.get("tool_call_id")
            if call not in waiting:
                return f"messages[{position}]: 'tool_call_id' {call!r} answers no preceding tool call"
            waiting.remove(call)
            continue
        if waiting:
            return f"messages[{position}]: tool calls {waiting} must be followed at once by their tool messages"
        if role == "assistant":
            waiting = [c.get("id") for c in message.get("tool_calls") or []]
    if waiting:
        return f"tool calls {waiting} were never answered"
    return None
