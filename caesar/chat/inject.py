"""Where memory stands among a client's messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

LEADING = ("system", "developer")


def with_memory(messages: Sequence[dict[str, Any]], *, system_prompt: str, block: str) -> list[dict[str, Any]]:
    """The client's messages, unchanged and in order, with at most one system message of ours among them.

    It stands after the client's own leading ones, so that what a provider has cached of them stays valid, and
    never further on, where it could part a tool call from its result. Nothing to say adds nothing.
    """
    text = "\n\n".join(part for part in (system_prompt.strip(), block) if part)
    if not text:
        return list(messages)
    leading = 0
    while leading < len(messages) and messages[leading].get("role") in LEADING:
        leading += 1
    # Some models take either role, but not both in one request.
    role = messages[leading - 1]["role"] if leading else "system"
    return [*messages[:leading], {"role": role, "content": text}, *messages[leading:]]
