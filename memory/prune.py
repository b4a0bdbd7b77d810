"""Pruning a source: a conversation leaves with its text and whatever was made of it; what it taught may stay."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from memory import audit, conversations, facts
from memory.db import profile_scope
from memory.domain.types import Op
from memory.errors import NotFound
from memory.models import (
    AuditLog,
    Conversation,
    Event,
    Fact,
    FactSource,
    FactState,
    Passage,
)


@dataclass(frozen=True)
class Pruned:
    """What went: `chats` rows of the log, and `deleted` facts. `kept` facts were taught by it and stay."""

    chats: int
    kept: tuple[Fact, ...]
    deleted: tuple[Fact, ...]

    def named(self) -> dict[str, list[str]]:
        """The facts, for the log."""
        return {
            "facts_kept": [str(fact.id) for fact in self.kept],
            "facts_deleted": [str(fact.id) for fact in self.deleted],
        }


def prune(*, profile_id: uuid.UUID, conversation_id: str, with_facts: bool = False, actor: str = "person") -> Pruned:
    """Delete a conversation: its chats, episode, passages, work and hashes, at once and for good.

    The facts that it taught stay, with their quotes, unless `with_facts`: then those go too that no other
    conversation taught and the person has not made their own; that can be taken back like any deletion.
    What a worker is reading of it comes to nothing. Raises NotFound.
    """
    with profile_scope(profile_id):
        facts.lock(profile_id)
        conversation = conversations.named(profile_id=profile_id, public_id=audit.storable_text(conversation_id))
        if conversation is None:
            raise NotFound("There is no such conversation.")
        done = take_out(conversation, with_facts=with_facts, actor=actor)
        audit.record(
            audit.Entry(
                Event.CONVERSATION_DELETED,
                profile_id,
                {"conversation_id": conversation.public_id, "chats": done.chats, **done.named()},
                actor,
                space_id=conversation.space_id,
            )
        )
    return done


def take_out(conversation: Conversation, *, with_facts: bool, actor: str) -> Pruned:
    """Remove it, locked by the caller, with what was made of it. Call inside the scope, under `facts.lock`."""
    chats = AuditLog.objects.filter(conversation_id=conversation.id, event_type=Event.CHAT_COMPLETED)
    audit_ids = list(chats.values_list("id", flat=True))
    taught = _taught(conversation.profile_id, audit_ids)
    gone = _only_here(taught, audit_ids) if with_facts else []
    for fact in gone:
        facts.remove(fact, actor=actor, alone=True)
    count = _remove(conversation, audit_ids)
    return Pruned(count, tuple(fact for fact in taught if fact not in gone), tuple(gone))


def _taught(profile_id: uuid.UUID, audit_ids: Sequence[int]) -> list[Fact]:
    """The facts that these chats taught or are evidence for."""
    evidence = FactSource.objects.filter(audit_id__in=audit_ids).values("fact_id")
    rows = Fact.objects.filter(Q(id__in=evidence) | Q(source_audit_id__in=audit_ids), profile_id=profile_id)
    rows = rows.exclude(state=FactState.DELETED).exclude(op=Op.RETRACT.value, state=FactState.RETRACTED)
    return list(rows.order_by("id").select_for_update())


def _only_here(taught: Sequence[Fact], audit_ids: Sequence[int]) -> list[Fact]:
    """Those that nothing else speaks for: no other conversation, and not the person's own hand."""
    elsewhere = FactSource.objects.filter(fact__in=taught).exclude(audit_id__in=audit_ids)
    also = set(elsewhere.values_list("fact_id", flat=True))
    return [fact for fact in taught if fact.id not in also and not fact.pinned]


def _remove(conversation: Conversation, audit_ids: Sequence[int]) -> int:
    Passage.objects.filter(audit_id__in=audit_ids).delete()
    with connection.cursor() as cursor:
        # The chats' evidence and work go with them; facts lose the link to their source.
        cursor.execute("SELECT audit_prune(%s)", [conversation.id])
        count = int(cursor.fetchone()[0])
    conversations.remove(conversation)
    return count
