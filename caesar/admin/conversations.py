"""What was talked about: conversations, their summaries and pieces; and the installation's secrets' names."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from caesar.admin.base import Table, VerbTable, short
from caesar.admin.site import afterwards
from memory import episodes
from memory.models import Conversation, EpisodeSummary, Installation, MessageHash, OffRecord, Passage


@admin.register(Conversation)
class ConversationAdmin(Table):
    list_display = ("id", "client_id", "profile", "space", "started_at", "last_said_at")
    list_select_related = ("profile", "space")
    search_fields = ("client_id", "profile__name")


@admin.register(MessageHash)
class MessageHashAdmin(Table):
    hidden = ("digest",)
    list_display = ("id", "profile", "conversation_id", "role")
    list_select_related = ("profile",)


@admin.register(OffRecord)
class OffRecordAdmin(Table):
    hidden = ("digest",)
    list_display = ("id", "profile", "at")
    list_select_related = ("profile",)


@admin.register(EpisodeSummary)
class EpisodeSummaryAdmin(VerbTable):
    hidden = ("terms",)
    list_display = ("id", "profile", "shown_summary", "said_at", "recall_count")
    list_select_related = ("profile",)
    search_fields = ("summary", "profile__name")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    @admin.display(description="summary")
    def shown_summary(self, episode: EpisodeSummary) -> str:
        return short(episode.summary)

    def delete_model(self, request: HttpRequest, obj: EpisodeSummary) -> None:
        afterwards(request, partial(episodes.delete, profile_id=obj.profile_id, episode_id=obj.pk, actor="operator"))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for episode in queryset.only("id", "profile_id"):
            self.delete_model(request, episode)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What the verb takes away: the summary. Its vector goes by itself."""
        named = [short(episode.summary) for episode in objs]
        return named, {"episodes": len(named)}, set(), []


@admin.register(Passage)
class PassageAdmin(Table):
    list_display = ("id", "profile", "role", "shown_text", "said_at")
    list_select_related = ("profile",)

    @admin.display(description="text")
    def shown_text(self, passage: Passage) -> str:
        return short(passage.text)


@admin.register(Installation)
class InstallationAdmin(Table):
    hidden = ("value",)
    list_display = ("name",)
