"""Summaries of conversations, and pieces of raw chat. Written by `memory.episodes` and `memory.passages`."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from memory.models.conversation import Conversation
from memory.models.fields import TermsField, now_column, uuid_key
from memory.models.profile import Profile, Space


class EpisodeSummary(models.Model):
    """What one conversation was about: one row per conversation, replaced as it goes on."""

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    space = models.ForeignKey(Space, on_delete=models.DO_NOTHING, related_name="+")
    conversation = models.OneToOneField(Conversation, on_delete=models.CASCADE, related_name="+")
    summary = models.TextField()
    details = models.JSONField(default=dict)
    terms = TermsField()
    source_audit_ids = ArrayField(models.BigIntegerField(), default=list)
    said_at = models.DateTimeField()
    recall_count = models.IntegerField(default=0)
    last_recalled_at = models.DateTimeField(null=True)
    prompt_version = models.TextField(default="", blank=True)
    model = models.TextField(default="", blank=True)
    created_at = now_column()
    updated_at = now_column()

    class Meta:
        db_table = "episode_summaries"
        verbose_name_plural = "episode summaries"
        indexes = [
            models.Index(fields=["profile", "-said_at"], name="episode_newest"),
            GinIndex(fields=["terms"], name="episode_terms", fastupdate=False),
        ]

    def words(self) -> str:
        """What the summary is found by."""
        return self.summary


class Passage(models.Model):
    """A piece of raw chat for explicit recall: a message, or a part of a long one.

    `position` counts the messages of a conversation, so that neighbours are known; `message` and `part` count inside
    the chat that it is from; `length` is in terms.
    """

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    space = models.ForeignKey(Space, on_delete=models.DO_NOTHING, null=True, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, null=True, related_name="+")
    audit_id = models.BigIntegerField(null=True)
    role = models.TextField()
    speaker = models.TextField(default="", db_default="")
    text = models.TextField()
    terms = TermsField()
    length = models.IntegerField(default=0, db_default=0)
    source_ids = ArrayField(models.TextField(), default=list)
    position = models.IntegerField(default=0)
    message = models.SmallIntegerField(default=0, db_default=0)
    part = models.SmallIntegerField(default=0, db_default=0)
    said_at = models.DateTimeField()

    class Meta:
        db_table = "passages"
        constraints = [
            models.UniqueConstraint(fields=["audit_id", "message", "part"], name="passage_once"),
        ]
        indexes = [
            models.Index(fields=["profile", "audit_id"], name="passage_by_audit"),
            models.Index(fields=["conversation", "position"], name="passage_neighbours"),
            models.Index(fields=["profile", "space", "speaker"], name="passage_speakers"),
            GinIndex(fields=["terms"], name="passage_terms", fastupdate=False),
        ]

    def words(self) -> str:
        """What the passage is found by."""
        return self.text
