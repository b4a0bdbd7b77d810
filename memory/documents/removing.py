"""Removes a document with all that came from it."""

from __future__ import annotations

import uuid

from memory import audit, facts, prune
from memory.db import profile_scope
from memory.documents import adding
from memory.errors import NotFound
from memory.models import Conversation, Document, Event
from memory.prune import Pruned


def remove(*, profile_id: uuid.UUID, document_id: uuid.UUID, actor: str = "person") -> Pruned:
    """Its text, passages, work and the facts that it alone taught go, whether or not they were approved.

    What the person wrote or corrected themselves stays, and so does what a chat said as well; a fact that went can be
    brought back for a while, like any. What a worker is reading of it comes to nothing. Raises NotFound.
    """
    with profile_scope(profile_id):
        facts.lock(profile_id)
        document = Document.objects.filter(profile_id=profile_id, id=document_id).first()
        held = Conversation.objects.select_for_update()
        conversation = held.filter(id=document.conversation_id).first() if document else None
        if document is None or conversation is None:
            raise NotFound("There is no such document.")
        gone = prune.take_out(conversation, with_facts=True, actor=actor)
        payload = adding.told(document) | gone.named()
        audit.record(audit.Entry(Event.DOCUMENT_DELETED, profile_id, payload, actor, space_id=conversation.space_id))
    return gone
