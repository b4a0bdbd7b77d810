"""The queue of background work. Written by `memory.cursor` (new items) and `memory.work` (their lives)."""

from __future__ import annotations

from enum import StrEnum

from django.db import models

from memory.models.conversation import Conversation
from memory.models.fields import Xid8Field, now_column, one_of
from memory.models.profile import Profile


class WorkKind(StrEnum):
    """What is to be done with a chat."""

    EXTRACT = "extract"
    SUMMARISE = "summarise"


class WorkState(StrEnum):
    """Where an item stands."""

    WAITING = "waiting"  # due at not_before -> running
    RUNNING = "running"  # leased to a worker until lease_until -> done, waiting (failed or lease ran out), dead
    DONE = "done"  # read; `outcome` says what came of it -> waiting (read again by hand)
    DEAD = "dead"  # given up; `error` says why -> waiting (retried by hand)
    CANCELLED = "cancelled"  # consent withdrawn, or its source is gone


class WorkItem(models.Model):
    """One chat to be read for one purpose.

    `token` fences the lease: what a worker writes counts only while the item still carries its token.
    `attempts` counts readings that failed through their content, `outages` failures of the provider.
    """

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    audit_id = models.BigIntegerField()
    kind = models.TextField()
    state = models.TextField(default=WorkState.WAITING.value)
    said_at = models.DateTimeField()
    not_before = now_column()
    attempts = models.IntegerField(default=0)
    outages = models.IntegerField(default=0)
    first_failed_at = models.DateTimeField(null=True)
    token = models.UUIDField(null=True)
    worker = models.TextField(default="", blank=True)
    lease_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    outcome = models.TextField(default="", blank=True)
    detail = models.JSONField(default=dict)
    error_code = models.TextField(default="", blank=True)
    error = models.TextField(default="", blank=True)
    raw_reply = models.TextField(default="", blank=True)
    prompt_version = models.TextField(default="", blank=True)
    model = models.TextField(default="", blank=True)
    calls = models.IntegerField(default=0)
    input_tokens = models.IntegerField(default=0)
    output_tokens = models.IntegerField(default=0)
    created_at = now_column()

    class Meta:
        db_table = "work_items"
        constraints = [
            models.UniqueConstraint(fields=["audit_id", "kind"], name="work_item_once"),
            one_of("state", WorkState, "work_item_state"),
            one_of("kind", WorkKind, "work_item_kind"),
        ]
        indexes = [
            models.Index(
                fields=["kind", "profile", "not_before"],
                name="work_waiting",
                condition=models.Q(state="waiting"),
            ),
            models.Index(
                fields=["conversation", "kind"],
                name="work_open",
                condition=models.Q(state__in=["waiting", "running"]),
            ),
            models.Index(fields=["lease_until"], name="work_running", condition=models.Q(state="running")),
            models.Index(fields=["profile", "state", "-id"], name="work_profile_state"),
            models.Index(
                fields=["profile", "finished_at"],
                name="work_finished",
                condition=models.Q(finished_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class MemoryCursor(models.Model):
    """How far the audit log has been turned into work of one kind: everything up to (xid, audit_id)."""

    kind = models.TextField(primary_key=True)
    xid = Xid8Field(default=0)
    audit_id = models.BigIntegerField(default=0)
    ticked_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "memory_cursor"


class ModelPause(models.Model):
    """That a provider asked for a rest (429) or cannot be used: nobody calls it before `until`."""

    route = models.TextField(primary_key=True)
    until = models.DateTimeField()
    reason = models.TextField()
    failures = models.IntegerField(default=1)

    class Meta:
        db_table = "model_pauses"
