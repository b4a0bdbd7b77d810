"""Who and what the facts are about. Written by `memory.entities`; the aliases of keys by `memory.keys`."""

from __future__ import annotations

from enum import StrEnum

from django.db import models

from memory.domain.entities import By
from memory.domain.roles import EntityKind
from memory.models.fields import now_column, one_of, uuid_key
from memory.models.profile import Profile


class Entity(models.Model):
    """A person, pet, organisation, project, place, device or vehicle that facts hang on.

    What it is called stands in the links of its facts alone, so a name is seen no longer than the fact that gives it.
    """

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    kind = models.TextField()
    created_at = now_column()

    class Meta:
        db_table = "entities"
        verbose_name_plural = "entities"
        constraints = [one_of("kind", EntityKind, "entity_kind")]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class FactEntity(models.Model):
    """That a fact is about an entity (`by` says how it tells) or mentions it (`by` is empty).

    `name` is what the fact calls it, `name_key` how that is compared and `first_key` its first word; `role` is what
    it is to the person by the fact's key.
    """

    id = models.BigAutoField(primary_key=True)
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    fact = models.ForeignKey("memory.Fact", on_delete=models.CASCADE, related_name="links")
    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="links")
    by = models.TextField(default="", blank=True)
    role = models.TextField(default="", blank=True)
    name = models.TextField(default="", blank=True)
    name_key = models.TextField(default="", blank=True)
    first_key = models.TextField(default="", blank=True)

    class Meta:
        db_table = "fact_entities"
        verbose_name_plural = "fact entities"
        constraints = [
            models.UniqueConstraint(fields=["fact", "entity", "name_key"], name="fact_entity_once"),
            models.CheckConstraint(condition=models.Q(by__in=["", *(by.value for by in By)]), name="fact_entity_by"),
        ]
        indexes = [
            models.Index(fields=["profile", "first_key"], name="fact_entity_first"),
            models.Index(fields=["profile", "role"], name="fact_entity_role"),
        ]


class AliasState(StrEnum):
    """What a person has said about two spellings."""

    ACTIVE = "active"  # they are one key -> removed
    REMOVED = "removed"  # they were; a value deleted under either stays deleted under both -> active
    DISMISSED = "dismissed"  # they are two keys: not proposed as one again -> active


class KeyAlias(models.Model):
    """That one spelling of a key is read as another, or is not to be."""

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    alias = models.TextField()
    key = models.TextField()
    state = models.TextField(default=AliasState.ACTIVE.value)
    created_at = now_column()

    class Meta:
        db_table = "key_aliases"
        verbose_name_plural = "key aliases"
        constraints = [
            models.UniqueConstraint(fields=["profile", "alias", "key"], name="key_alias_pair_once"),
            models.UniqueConstraint(
                fields=["profile", "alias"], condition=models.Q(state="active"), name="key_alias_one_meaning"
            ),
            one_of("state", AliasState, "key_alias_state"),
        ]

    def __str__(self) -> str:
        return f"{self.alias} -> {self.key}"
