"""What was talked about: conversations, their summaries and pieces; and the installation's secrets' names."""

from __future__ import annotations

from django.contrib import admin

from caesar.admin.base import Table, short
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
class EpisodeSummaryAdmin(Table):
    list_display = ("id", "profile", "shown_summary", "said_at", "recall_count")
    list_select_related = ("profile",)
    search_fields = ("summary", "profile__name")

    @admin.display(description="summary")
    def shown_summary(self, episode: EpisodeSummary) -> str:
        return short(episode.summary)


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
