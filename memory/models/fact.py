"""Facts and where they came from. Written by `memory.facts` alone."""

from __future__ import annotations

from enum import StrEnum

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from memory.domain.types import Cardinality, Category
from memory.models.audit import AuditLog
from memory.models.entity import Entity
from memory.models.fields import TermsField, now_column, one_of, uuid_key
from memory.models.profile import Profile, Space


class FactState(StrEnum):
    """Where a fact stands. Only `current` is ever recalled or given to a model."""

    PENDING = "pending"  # waits for the person -> current, rejected, deleted
    CURRENT = "current"  # approved and holds now -> superseded, retracted, deleted
    SUPERSEDED = "superseded"  # a newer value took its place -> current (reverted), deleted
    RETRACTED = "retracted"  # no longer so, without a successor -> current (reverted), deleted
    REJECTED = "rejected"  # the person said no -> deleted
    DELETED = "deleted"  # gone from every read -> current (undone), then purged


class SourceKind(StrEnum):
    """How a fact came to be."""

    EXTRACTED = "extracted"
    AUTHORED = "authored"
    IMPORTED = "imported"
    DOCUMENT = "document"


class Fact(models.Model):
    """A durable claim about the person, under a key (`dog.name`) or without one (narrative).

    `value_norm` is the value as it is compared. `said_at` orders claims of one key: the order of saying
    decides, not the order of processing. `pinned` means the person's own word. `reasons` say why it waits.
    With `op` retract it is no value but the word that closed one. `was_state` is where a deleted fact goes back to.
    """

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    space = models.ForeignKey(Space, on_delete=models.DO_NOTHING, null=True, blank=True, related_name="+")
    entity = models.ForeignKey(Entity, on_delete=models.DO_NOTHING, null=True, blank=True, related_name="+")
    key = models.TextField(null=True, blank=True)
    value = models.TextField()
    value_norm = models.TextField()
    terms = TermsField()
    category = models.TextField(default=Category.FACT.value)
    state = models.TextField()
    cardinality = models.TextField(default=Cardinality.ONE.value)
    confidence = models.FloatField(default=1.0)
    importance = models.FloatField(default=0.5)
    source_kind = models.TextField(default=SourceKind.EXTRACTED.value)
    source_audit = models.ForeignKey(
        AuditLog, on_delete=models.DO_NOTHING, db_constraint=False, null=True, blank=True, related_name="+"
    )
    quote = models.TextField(default="", blank=True)
    reasons = ArrayField(models.TextField(), default=list, blank=True)
    op = models.TextField(default="set")
    stance = models.TextField(default="asserted")
    pinned = models.BooleanField(default=False)
    sensitive = models.BooleanField(default=False)
    edit_count = models.IntegerField(default=0)
    evidence_count = models.IntegerField(default=1)
    said_at = models.DateTimeField()
    first_seen_at = models.DateTimeField()
    last_confirmed_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    superseded_by = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    prompt_version = models.TextField(default="", blank=True)
    model = models.TextField(default="", blank=True)
    version = models.IntegerField(default=1)
    created_at = now_column()
    deleted_at = models.DateTimeField(null=True, blank=True)
    was_state = models.TextField(default="", db_default="", blank=True, editable=False)

    class Meta:
        db_table = "personal_facts"
        constraints = [
            one_of("state", FactState, "fact_state"),
            one_of("cardinality", Cardinality, "fact_cardinality"),
            one_of("source_kind", SourceKind, "fact_source_kind"),
            one_of("category", Category, "fact_category"),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=1, importance__gte=0, importance__lte=1),
                name="fact_numbers_in_range",
            ),
            models.CheckConstraint(
                condition=~models.Q(state="current") | models.Q(valid_to__isnull=True),
                name="fact_current_is_open",
            ),
            models.UniqueConstraint(
                fields=["profile", "space", "key"],
                condition=models.Q(state="current", key__isnull=False, cardinality="one"),
                nulls_distinct=False,
                name="fact_one_current_value",
            ),
            models.UniqueConstraint(
                "profile",
                "space",
                "key",
                models.Func("value_norm", function="md5"),
                condition=models.Q(state="current", key__isnull=False, cardinality="many"),
                nulls_distinct=False,
                name="fact_many_values_once",
            ),
        ]
        indexes = [
            models.Index(fields=["profile", "state", "key"], name="fact_profile_state_key"),
            models.Index(fields=["source_audit"], name="fact_source_audit"),
            GinIndex(fields=["terms"], name="fact_terms", condition=models.Q(state="current"), fastupdate=False),
            models.Index(
                fields=["deleted_at"],
                name="fact_to_purge",
                condition=models.Q(state="deleted") & ~models.Q(value=""),
            ),
            models.Index(
                fields=["expires_at"],
                name="fact_to_expire",
                condition=models.Q(state="current", expires_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.value}" if self.key else self.value

    def words(self) -> str:
        """What the fact is found by; what is purged by nothing."""
        return f"{(self.key or '').replace('.', ' ')} {self.value}" if self.value else ""


class FactSource(models.Model):
    """That a chat is evidence for a fact. A chat counts once, however often it is read."""

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    fact = models.ForeignKey(Fact, on_delete=models.CASCADE, related_name="sources")
    audit = models.ForeignKey(AuditLog, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")

    class Meta:
        db_table = "fact_sources"
        constraints = [models.UniqueConstraint(fields=["fact", "audit"], name="fact_source_once")]
        indexes = [
            models.Index(fields=["profile", "audit"], name="fact_source_by_audit"),
            models.Index(fields=["audit"], name="fact_source_gone"),  # for the cascade when a chat goes
        ]


class TombstoneKind(StrEnum):
    """What the person answered."""

    DELETED = "deleted"  # said again later, it is asked about
    REJECTED = "rejected"  # not raised again


class Tombstone(models.Model):
    """That a value was deleted or rejected, as a keyed hash of space, key and normalised value."""

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    digest = models.BinaryField()
    kind = models.TextField()
    at = now_column()

    class Meta:
        db_table = "tombstones"
        constraints = [
            models.UniqueConstraint(fields=["profile", "digest", "kind"], name="tombstone_once"),
            one_of("kind", TombstoneKind, "tombstone_kind"),
        ]
