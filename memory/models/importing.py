"""Imports, and the chats that they brought. Written by `memory.imports` alone."""

from __future__ import annotations

from enum import StrEnum

from django.db import models

from memory.models.conversation import Conversation
from memory.models.fields import now_column, one_of, uuid_key
from memory.models.profile import Profile


class ImportState(StrEnum):
    """Where an import stands."""

    RUNNING = "running"  # its batches are being written -> done, failed; broken off, the same file again goes on
    DONE = "done"
    FAILED = "failed"  # `error` says why; what was written stays, and the same file again goes on


class Import(models.Model):
    """One file that was imported. `digest` is its SHA-256, `counts` what became of its records so far, by kind."""

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    format = models.TextField()
    name = models.TextField(default="", blank=True)
    digest = models.TextField()
    state = models.TextField(default=ImportState.RUNNING.value)
    counts = models.JSONField(default=dict)
    total = models.IntegerField(default=0)
    done = models.IntegerField(default=0)
    error = models.TextField(default="", blank=True)
    started_at = now_column()
    updated_at = now_column()

    class Meta:
        db_table = "imports"
        constraints = [
            models.UniqueConstraint(fields=["profile", "digest"], name="import_file_once"),
            one_of("state", ImportState, "import_state"),
        ]

    def __str__(self) -> str:
        return f"{self.format} {self.name}".strip()


class ImportedChat(models.Model):
    """A chat of the log that an import brought. While it is `waiting`, its turn to be read has not come yet."""

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    source = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    audit_id = models.BigIntegerField(unique=True)
    waiting = models.BooleanField(default=False)

    class Meta:
        db_table = "imported_chats"
        indexes = [
            models.Index(fields=["profile", "id"], name="imported_chat_next", condition=models.Q(waiting=True)),
            models.Index(fields=["source"], name="imported_chat_source"),
        ]
