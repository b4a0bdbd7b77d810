"""A history as chats of one person, written with the times at which they were said, as an import does."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
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


def teach(history: History, profile_id: uuid.UUID) -> None:
    """What was learned from the history, as facts whose sources are the chats of its turns."""
    from memory import facts
    from memory.db import profile_scope
    from memory.models import AuditLog, Event
    from workers import embedding

    with profile_scope(profile_id):
        chats = {
            payload["messages"][0]["id"]: (audit_id, said_at)
            for audit_id, said_at, payload in AuditLog.objects.filter(
                profile_id=profile_id, event_type=Event.CHAT_COMPLETED
            ).values_list("id", "said_at", "payload")
        }
        facts.lock(profile_id)
        told = [_told(one.text, *chats[one.turn]) for one in history.learned]
        facts.apply(profile_id=profile_id, told=told, conversation_id=None)
    embedding.drain()


def _told(text: str, audit_id: int, said_at: datetime) -> Any:
    from memory import facts
    from memory.domain.merge import Claim
    from memory.domain.text import same_form
    from memory.domain.types import Cardinality, Category, Op, Stance
    from memory.models.fields import new_id

    claim = Claim(
        id=new_id(),
        space_id=None,
        key=None,
        value=text,
        value_norm=same_form(text),
        cardinality=Cardinality.MANY,
        op=Op.SET,
        confidence=0.9,
        said_at=said_at,
        audit_id=audit_id,
        current=True,
    )
    return facts.Told(claim, Category.FACT, 0.5, Stance.ASSERTED, "")


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
