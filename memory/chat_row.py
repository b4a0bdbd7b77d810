"""The log's row of a chat that was not answered here: an imported one, or a page of a document."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from memory.models.fields import new_id


def payload(
    *,
    space: str,
    messages: Sequence[Mapping[str, Any]],
    answer: Mapping[str, Any],
    redacted: Collection[str],
    model: str = "",
    **origin: Any,
) -> dict[str, Any]:
    """The fields of a chat that was (`chats.finish`), as far as they are known. `origin` says where it comes from.

    redacted: classes of what was taken out of the texts.
    """
    told = {
        "decision_id": str(new_id()),
        "model": model,
        "provider": "",
        "usage": {},
        "finish_reason": "",
        "streamed": False,
        "complete": True,
        "space": space,
        **origin,
        "messages": list(messages),
        "answer": answer,
        "facts": [],
        "episodes": [],
        "recall_failed": False,
    }
    return told | ({"redacted": sorted(redacted)} if redacted else {})
