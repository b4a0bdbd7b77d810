"""Who and what the facts are about, and which spellings of keys are one."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from caesar.admin.base import Table, choice_filter
from memory.domain.roles import EntityKind
from memory.models import AliasState, Entity, FactEntity, FactState, KeyAlias


@admin.register(Entity)
class EntityAdmin(Table):
    list_display = ("id", "kind", "profile", "created_at")
    list_select_related = ("profile",)
    list_filter = (choice_filter("kind", EntityKind),)


@admin.register(FactEntity)
class FactEntityAdmin(Table):
    list_display = ("name", "by", "role", "fact", "entity")
    list_select_related = ("fact", "entity")
    search_fields = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """A deleted fact tells no name any more."""
        return super().get_queryset(request).exclude(fact__state=FactState.DELETED)


@admin.register(KeyAlias)
class KeyAliasAdmin(Table):
    list_display = ("alias", "key", "state", "profile", "created_at")
    list_select_related = ("profile",)
    list_filter = (choice_filter("state", AliasState),)
    search_fields = ("alias", "key")
