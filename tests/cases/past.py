"""Chats that were had some time ago, as rows of the log: read today."""

from __future__ import annotations

from datetime import datetime

from memory import audit, conversations, profiles
from memory.db import profile_scope
from memory.domain.history import Incoming
from memory.hashing import message_digest
from memory.models import Event
from tests.people import Person


def said(who: Person, at: str, *texts: str, conversation_id: str | None = None) -> int:
    """Texts are turns of the person and the assistant, by turns. Returns the id of the row."""
    messages = [{"role": ("user", "assistant")[n % 2], "text": text} for n, text in enumerate(texts)]
    when = datetime.fromisoformat(at)
    with profile_scope(who.profile_id):
        history = [Incoming(m["role"], message_digest(m["role"], m["text"])) for m in messages]
        place = conversations.find(profile_id=who.profile_id, history=history, wanted=conversation_id)
        space = profiles.space(profile_id=who.profile_id, slug=None)
        added = conversations.extend(profile_id=who.profile_id, place=place, space_id=space.id, messages=history)
        audit_id = audit.draw_id()
        audit.record(
            audit.Entry(
                Event.CHAT_COMPLETED,
                who.profile_id,
                {"messages": messages},
                actor="person",
                conversation_id=added.conversation_id,
                space_id=space.id,
                said_at=when,
                mine_facts=True,
                mine_summary=True,
                id=audit_id,
            )
        )
    return audit_id
