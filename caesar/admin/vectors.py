"""Vectors, what still waits for one, and the embedders that they were made by."""

from __future__ import annotations

from django.contrib import admin

from caesar.admin.base import Table, choice_filter, short
from memory.models import Embedding, EmbeddingIdentity, EmbedQueue, OwnerKind


@admin.register(Embedding)
class EmbeddingAdmin(Table):
    hidden = ("vector",)
    list_display = ("id", "profile", "owner_kind", "owner_id", "identity")
    list_select_related = ("profile",)
    list_filter = (choice_filter("owner_kind", OwnerKind),)


@admin.register(EmbedQueue)
class EmbedQueueAdmin(Table):
    hidden = ("token",)
    list_display = ("id", "profile", "owner_kind", "owner_id", "not_before", "attempts", "shown_error")
    list_select_related = ("profile",)
    list_filter = (choice_filter("owner_kind", OwnerKind),)

    @admin.display(description="error")
    def shown_error(self, waiting: EmbedQueue) -> str:
        return short(waiting.error)


@admin.register(EmbeddingIdentity)
class EmbeddingIdentityAdmin(Table):
    list_display = ("name", "state", "provider", "model", "dim", "done", "total")
