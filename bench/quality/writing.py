"""A history as chats of one person, written with the times at which they were said, as an import does."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterable
from datetime import UTC
from typing import Any

from bench.quality.histories import History, Turn


def write(history: History, profile_id: uuid.UUID) -> None:
    """A conversation for each session, a row of the log for each turn, a passage with its vector for each."""
    from memory.db import profile_scope
    from memory.models import Conversation, Space
    from workers import embedding

    for _, session in itertools.groupby(history.turns, key=lambda turn: turn.session):
        with profile_scope(profile_id):
            space = Space.objects.get(profile_id=profile_id, slug="general")
            talk = Conversation.objects.create(profile_id=profile_id, space=space)
            _log(session, profile_id, space.id, talk.id)
    embedding.drain()


def _log(session: Iterable[Turn], profile_id: uuid.UUID, space_id: uuid.UUID, talk: uuid.UUID) -> None:
    from memory import audit
    from memory.models import Event

    audit.record_many(
        audit.Entry(
            Event.CHAT_COMPLETED,
            profile_id,
            {"messages": [_message(turn)], "answer": {"text": ""}},
            "person",
            conversation_id=talk,
            space_id=space_id,
            said_at=turn.at.replace(tzinfo=UTC),
            mine_facts=True,
        )
        for turn in session
    )


def _message(turn: Turn) -> dict[str, Any]:
    named = {"name": turn.speaker} if turn.speaker else {}
    return {"role": turn.role, "text": turn.text, "id": turn.id, **named}
