"""Summaries of conversations, pieces of raw chat, and the vectors of whatever is embedded."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import HalfVectorField

from memory.models.conversation import Conversation
from memory.models.fields import now_column, uuid_key
from memory.models.profile import Profile, Space


class EpisodeSummary(models.Model):
    """What one conversation was about: one row per conversation, replaced as it goes on."""

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    space = models.ForeignKey(Space, on_delete=models.DO_NOTHING, related_name="+")
    conversation = models.OneToOneField(Conversation, on_delete=models.CASCADE, related_name="+")
    summary = models.TextField()
    details = models.JSONField(default=dict)
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
        indexes = [models.Index(fields=["profile", "-said_at"], name="episode_newest")]


class Passage(models.Model):
    """A piece of raw chat for explicit recall."""

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    space = models.ForeignKey(Space, on_delete=models.DO_NOTHING, null=True, related_name="+")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, null=True, related_name="+")
    audit_id = models.BigIntegerField(null=True)
    role = models.TextField()
    text = models.TextField()
    source_ids = ArrayField(models.TextField(), default=list)
    position = models.IntegerField(default=0)
    said_at = models.DateTimeField()

    class Meta:
        db_table = "passages"
        indexes = [models.Index(fields=["profile", "audit_id"], name="passage_by_audit")]


class Embedding(models.Model):
    """The vector of one text under one embedder. `identity` is provider, model and dimension in one word."""

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    owner_kind = models.TextField()
    owner_id = models.UUIDField()
    identity = models.TextField()
    vector = HalfVectorField()

    class Meta:
        db_table = "embeddings"
        constraints = [models.UniqueConstraint(fields=["owner_kind", "owner_id", "identity"], name="embedding_once")]
        indexes = [models.Index(fields=["profile", "identity", "owner_kind"], name="embedding_profile")]
