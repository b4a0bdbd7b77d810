"""Vectors, under which embedder they were made, and what still waits for one. Written by `memory.embeddings`."""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.db.models.functions import Now
from pgvector.django import HalfVectorField

from memory.models.fields import now_column, one_of
from memory.models.profile import Profile


class OwnerKind(StrEnum):
    """Whose text a vector stands for."""

    FACT = "fact"
    EPISODE = "episode"
    PASSAGE = "passage"


class Embedding(models.Model):
    """The vector (of length 1) of one text under one embedder; see `EmbeddingIdentity` for the name.

    Rows are removed by triggers when their owner goes or, being a fact, holds no longer.
    """

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    owner_kind = models.TextField()
    owner_id = models.UUIDField()
    identity = models.TextField()
    vector = HalfVectorField()

    class Meta:
        db_table = "embeddings"
        constraints = [
            models.UniqueConstraint(fields=["owner_kind", "owner_id", "identity"], name="embedding_once"),
            one_of("owner_kind", OwnerKind, "embedding_owner_kind"),
        ]
        indexes = [models.Index(fields=["profile", "identity", "owner_kind"], name="embedding_profile")]


class EmbedQueue(models.Model):
    """A text that waits for its vector. Filled by triggers, so that no writer can forget to.

    Due at `not_before` (null: given up, until somebody retries it); taking it moves that on and sets `token`, which a
    change of the text takes away again.
    """

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    owner_kind = models.TextField()
    owner_id = models.UUIDField()
    priority = models.SmallIntegerField(default=0)
    queued_at = now_column()
    not_before = models.DateTimeField(null=True, db_default=Now(), editable=False)
    attempts = models.IntegerField(default=0, db_default=0)
    error = models.TextField(default="", db_default="", blank=True)
    token = models.UUIDField(null=True)

    class Meta:
        db_table = "embed_queue"
        verbose_name_plural = "embed queue"
        constraints = [
            models.UniqueConstraint(fields=["owner_kind", "owner_id"], name="embed_queue_once"),
            one_of("owner_kind", OwnerKind, "embed_queue_owner_kind"),
        ]
        indexes = [
            models.Index(fields=["priority", "not_before", "id"], name="embed_queue_due"),
            models.Index(fields=["profile", "priority", "not_before"], name="embed_queue_turn"),
        ]


class IdentityState(StrEnum):
    """What an embedder is for."""

    BUILDING = "building"  # its vectors are being made -> active
    ACTIVE = "active"  # what recall searches by -> retired
    RETIRED = "retired"  # its vectors are being removed -> gone


class EmbeddingIdentity(models.Model):
    """An embedder whose vectors are kept: `name` is its model and dimension in one word.

    `place` is how far the making of its vectors has come: (kind, id) of the last owner that was looked at.
    """

    name = models.TextField(primary_key=True)
    provider = models.TextField()
    model = models.TextField()
    dim = models.IntegerField()
    state = models.TextField()
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    place_kind = models.TextField(default="", blank=True)
    place_id = models.UUIDField(null=True)
    created_at = now_column()
    activated_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "embedding_identities"
        verbose_name_plural = "embedding identities"
        constraints = [
            one_of("state", IdentityState, "embedding_identity_state"),
            models.UniqueConstraint(
                fields=["state"], condition=models.Q(state="active"), name="embedding_identity_one_active"
            ),
        ]

    def __str__(self) -> str:
        return self.name
