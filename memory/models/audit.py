"""All that happens. Append-only by trigger. Written by `memory.audit` alone."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from django.db import models
from django.db.models import Func

from memory.models.fields import Xid8Field, now_column
from memory.models.profile import Profile


class Event(StrEnum):
    """Names of events, as clients see them."""

    CHAT_COMPLETED = "chat.completed"
    FACT_ADDED = "memory.fact.added"
    FACT_CONFIRMED = "memory.fact.confirmed"
    FACT_UPDATED = "memory.fact.updated"
    FACT_PROPOSED = "memory.fact.proposed"
    FACT_APPROVED = "memory.fact.approved"
    FACT_REJECTED = "memory.fact.rejected"
    FACT_RETRACTED = "memory.fact.retracted"
    FACT_EXPIRED = "memory.fact.expired"
    FACT_REVERTED = "memory.fact.reverted"
    FACT_DELETED = "memory.fact.deleted"
    FACT_USER_EDITED = "memory.fact.user_edited"
    FACT_USER_DELETED = "memory.fact.user_deleted"
    EXTRACT_FAILED = "memory.extract.llm_failed"
    EXTRACT_DEAD = "memory.extract.dead_letter"
    EPISODE_SUMMARISED = "memory.episode.summarised"
    EPISODE_SKIPPED = "memory.episode.summarise_skipped"
    EPISODE_FAILED = "memory.episode.summarise_failed"
    EPISODE_RECALLED = "memory.episode.recalled"
    EPISODE_DELETED = "memory.episode.deleted"
    SENSITIVE_REFUSED = "memory.sensitive.refused"
    RETENTION_SWEEP = "memory.retention_sweep"
    EXPORTED = "memory.exported"
    IMPORTED = "memory.imported"
    ERASED = "memory.erased"
    DOCUMENT_ADDED = "memory.document.added"
    DOCUMENT_DELETED = "memory.document.deleted"
    CONVERSATION_DELETED = "memory.conversation.deleted"
    AUTH_FAILED = "auth.failed"
    SETTINGS_CHANGED = "settings.changed"


class CurrentXid(Func):
    """The transaction that writes the row: what the cursor may be sure of is what is older than all open ones."""

    function = "pg_current_xact_id"
    template = "%(function)s()"
    output_field: Any = Xid8Field()


class AuditLog(models.Model):
    """One thing that happened.

    `at` is when the row was written; `said_at` (of a chat) is when the person said it, strictly growing
    per profile for live chats. `mine_facts` and `mine_summary` are the consent in force at that moment.
    """

    id = models.BigAutoField(primary_key=True)
    xid = Xid8Field(db_default=CurrentXid(), editable=False)
    profile = models.ForeignKey(Profile, on_delete=models.DO_NOTHING, null=True, related_name="+")
    event_type = models.TextField()
    at = now_column()
    said_at = models.DateTimeField(null=True)
    actor = models.TextField(default="system")
    conversation = models.ForeignKey("memory.Conversation", on_delete=models.DO_NOTHING, null=True, related_name="+")
    space = models.ForeignKey("memory.Space", on_delete=models.DO_NOTHING, null=True, related_name="+")
    mine_facts = models.BooleanField(default=False)
    mine_summary = models.BooleanField(default=False)
    payload = models.JSONField(default=dict)

    class Meta:
        db_table = "audit_log"
        verbose_name_plural = "audit log"
        indexes = [
            models.Index(fields=["profile", "-id"], name="audit_profile_newest"),
            models.Index(fields=["profile", "event_type", "-id"], name="audit_profile_event"),
            models.Index(fields=["profile", "at"], name="audit_profile_age"),
            models.Index(fields=["conversation", "id"], name="audit_conversation"),
            models.Index(
                fields=["xid", "id"],
                name="audit_chats_in_commit_order",
                condition=models.Q(event_type="chat.completed"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {self.pk}"
