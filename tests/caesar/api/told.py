"""Chats that were had, without a model."""

from __future__ import annotations

from typing import Any

from memory import chats, cursor
from memory.models import WorkKind


def tell(api: Any, text: str, **options: Any) -> int:
    """Somebody said something. Returns the id of the row."""
    turn = chats.begin(profile_id=api.who.profile_id, messages=[{"role": "user", "content": text}], **options)
    return chats.finish(turn, chats.Answer(text="Noted."))


def make_work() -> None:
    """What was said becomes work, which nobody does."""
    cursor.tick(WorkKind.EXTRACT)
