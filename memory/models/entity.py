"""Who and what the facts are about."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.fields import now_column, uuid_key
from memory.models.profile import Profile


class Entity(models.Model):
    """A person, pet, organisation, project, place or device that facts hang on."""

    id = uuid_key()
    profile = models.ForeignKey(Profile, on_delete=models.CASCADE, related_name="+")
    kind = models.TextField()
    name = models.TextField()
    name_key = models.TextField()
    aliases = ArrayField(models.TextField(), default=list)
    created_at = now_column()

    class Meta:
        db_table = "entities"
        verbose_name_plural = "entities"
        constraints = [models.UniqueConstraint(fields=["profile", "kind", "name_key"], name="entity_once")]

    def __str__(self) -> str:
        return self.name
