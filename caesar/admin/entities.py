"""Who and what the facts are about, and which spellings of keys are one."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from caesar.admin.base import WHOSE, Owned, ProfileFilter, choice_filter, link, listing, short
from memory.domain.roles import EntityKind
from memory.models import AliasState, Entity, Fact, FactEntity, FactState, KeyAlias


@admin.register(Entity)
class EntityAdmin(Owned):
    list_display = ("id", "kind", "whose", "created_at", "facts")
    list_filter = (choice_filter("kind", EntityKind), ProfileFilter)
    search_fields = ("=id", "links__name", *WHOSE)

    @admin.display(description="facts")
    def facts(self, row: Entity) -> str:
        return listing(FactEntity, "its facts", entity__id__exact=row.pk)


@admin.register(FactEntity)
class FactEntityAdmin(Owned):
    list_display = ("id", "name", "by", "role", "whose", "its_fact", "its_entity")
    list_select_related = ("profile", "fact", "entity")
    search_fields = ("name", *WHOSE)

    @admin.display(description="fact")
    def its_fact(self, row: FactEntity) -> str:
        return link(Fact, row.fact_id, short(row.fact))

    @admin.display(description="entity")
    def its_entity(self, row: FactEntity) -> str:
        return link(Entity, row.entity_id, row.entity.kind)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """A deleted fact tells no name any more."""
        return super().get_queryset(request).exclude(fact__state=FactState.DELETED)


@admin.register(KeyAlias)
class KeyAliasAdmin(Owned):
    list_display = ("alias", "key", "state", "whose", "created_at")
    list_filter = (choice_filter("state", AliasState), ProfileFilter)
    search_fields = ("=id", "alias", "key", *WHOSE)
