"""Conversations, and hashes of their messages. Written by `memory.conversations` alone."""

from __future__ import annotations

from django.db import models

from memory.models.fields import now_column, uuid_key
from memory.models.profile import Profile, Space


class Conversation(models.Model):
    """A thread of turns. `client_id` is the name a client gave it, where it gave one."""

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    space = models.ForeignKey(Space, on_delete=models.DO_NOTHING, related_name="+")
    client_id = models.TextField(null=True, blank=True)
    started_at = now_column()
    last_said_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "conversations"
        constraints = [
            models.UniqueConstraint(
                fields=["profile", "client_id"],
                condition=models.Q(client_id__isnull=False),
                name="conversation_client_id_once",
            )
        ]
        indexes = [models.Index(fields=["profile", "-last_said_at"], name="conversation_newest")]

    @property
    def public_id(self) -> str:
        return self.client_id or str(self.id)


class MessageHash(models.Model):
    """That a message was seen, as a keyed hash. `parent` is the message before it, so a history may fork."""

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="+")
    role = models.TextField()
    digest = models.BinaryField()

    class Meta:
        db_table = "message_hashes"
        verbose_name_plural = "message hashes"
        indexes = [
            models.Index(fields=["profile", "digest"], name="message_by_hash"),
            models.Index(fields=["conversation", "-id"], name="message_newest"),
        ]


class OffRecord(models.Model):
    """That a message was said off the record, as a keyed hash: sent again later, it is neither kept nor read."""

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    digest = models.BinaryField()
    at = now_column()

    class Meta:
        db_table = "off_record"
        verbose_name_plural = "off record"
        constraints = [models.UniqueConstraint(fields=["profile", "digest"], name="off_record_once")]
        indexes = [models.Index(fields=["profile", "at"], name="off_record_age")]
