"""Vectors, what still waits for one, and the embedders that they were made by."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model

from caesar.admin.base import WHOSE, Owned, ProfileFilter, Table, choice_filter, link, short
from memory.models import (
    Embedding,
    EmbeddingIdentity,
    EmbedQueue,
    EpisodeSummary,
    Fact,
    IdentityState,
    OwnerKind,
    Passage,
)

OWNERS: dict[str, type[Model]] = {
    OwnerKind.FACT.value: Fact,
    OwnerKind.EPISODE.value: EpisodeSummary,
    OwnerKind.PASSAGE.value: Passage,
}


@admin.register(Embedding)
class EmbeddingAdmin(Owned):
    hidden = ("vector",)
    list_display = ("id", "whose", "owner_kind", "owner", "identity")
    list_filter = (choice_filter("owner_kind", OwnerKind), ProfileFilter)
    search_fields = ("=owner_id", "identity", *WHOSE)

    @admin.display(description="of")
    def owner(self, row: Embedding) -> str:
        return link(OWNERS[row.owner_kind], row.owner_id, row.owner_id)


@admin.register(EmbedQueue)
class EmbedQueueAdmin(Owned):
    hidden = ("token",)
    list_display = ("id", "whose", "owner_kind", "owner", "not_before", "attempts", "shown_error")
    list_filter = (choice_filter("owner_kind", OwnerKind), ProfileFilter)
    search_fields = ("=owner_id", "error", *WHOSE)

    @admin.display(description="of")
    def owner(self, row: EmbedQueue) -> str:
        return link(OWNERS[row.owner_kind], row.owner_id, row.owner_id)

    @admin.display(description="error")
    def shown_error(self, waiting: EmbedQueue) -> str:
        return short(waiting.error)


@admin.register(EmbeddingIdentity)
class EmbeddingIdentityAdmin(Table):
    list_display = ("name", "state", "provider", "model", "dim", "done", "total")
    list_filter = (choice_filter("state", IdentityState),)
    search_fields = ("name", "provider", "model")
