"""What was talked about: conversations, their summaries and pieces; and the installation's secrets' names."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from caesar.admin.base import WHOSE, Owned, ProfileFilter, Table, choice_filter, link, listing, short
from caesar.admin.deletion import DeletedByVerb
from caesar.admin.site import Verb
from memory import episodes
from memory.documents import removing
from memory.models import (
    AuditLog,
    Conversation,
    Document,
    EpisodeSummary,
    Import,
    ImportedChat,
    ImportState,
    Installation,
    MessageHash,
    OffRecord,
    Passage,
)


@admin.register(Conversation)
class ConversationAdmin(Owned):
    list_display = ("id", "client_id", "whose", "space", "started_at", "last_said_at", "rows")
    list_select_related = ("profile", "space")
    list_filter = (ProfileFilter, "last_said_at")
    search_fields = ("=id", "client_id", *WHOSE)

    @admin.display(description="in the log")
    def rows(self, row: Conversation) -> str:
        return listing(AuditLog, "its rows", conversation__id__exact=row.pk)


@admin.register(MessageHash)
class MessageHashAdmin(Owned):
    hidden = ("digest",)
    list_display = ("id", "whose", "talk", "role")

    @admin.display(description="conversation")
    def talk(self, row: MessageHash) -> str:
        return link(Conversation, row.conversation_id, "conversation")


@admin.register(OffRecord)
class OffRecordAdmin(Owned):
    hidden = ("digest",)
    list_display = ("id", "whose", "at")
    list_filter = (ProfileFilter, "at")


@admin.register(EpisodeSummary)
class EpisodeSummaryAdmin(Owned, DeletedByVerb):
    counted_as = "episodes"
    hidden = ("terms",)
    list_display = ("shown_summary", "whose", "space", "said_at", "recall_count", "talk")
    list_select_related = ("profile", "space")
    list_filter = (ProfileFilter, "said_at")
    search_fields = ("=id", "summary", *WHOSE)

    @admin.display(description="conversation")
    def talk(self, row: EpisodeSummary) -> str:
        return link(Conversation, row.conversation_id, "conversation")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="summary")
    def shown_summary(self, episode: EpisodeSummary) -> str:
        return short(episode.summary)

    def named(self, row: EpisodeSummary) -> str:
        return short(row.summary)

    def deletion(self, row: EpisodeSummary) -> Verb:
        return partial(episodes.delete, profile_id=row.profile_id, episode_id=row.pk, actor="operator")


@admin.register(Passage)
class PassageAdmin(Owned):
    list_display = ("shown_text", "whose", "role", "said_at", "source")
    list_filter = (ProfileFilter, "said_at")
    search_fields = ("=id", "text", *WHOSE)

    @admin.display(description="source")
    def source(self, passage: Passage) -> str:
        return link(AuditLog, passage.audit_id, f"audit row {passage.audit_id}")

    @admin.display(description="text")
    def shown_text(self, passage: Passage) -> str:
        return short(passage.text)


@admin.register(Document)
class DocumentAdmin(Owned, DeletedByVerb):
    counted_as = "documents"
    hidden = ("digest",)
    list_display = ("name", "format", "whose", "pages", "parts", "added_at", "rows")
    list_filter = (ProfileFilter, "added_at")
    search_fields = ("=id", "name", *WHOSE)

    @admin.display(description="in the log")
    def rows(self, row: Document) -> str:
        return listing(AuditLog, "its pages", conversation__id__exact=row.conversation_id)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def named(self, row: Document) -> str:
        return short(row.name)

    def deletion(self, row: Document) -> Verb:
        return partial(removing.remove, profile_id=row.profile_id, document_id=row.pk, actor="operator")


@admin.register(Import)
class ImportAdmin(Owned):
    hidden = ("digest",)
    list_display = ("name", "format", "whose", "state", "done", "total", "started_at", "error")
    list_filter = (choice_filter("state", ImportState), ProfileFilter)
    search_fields = ("=id", "name", *WHOSE)


@admin.register(ImportedChat)
class ImportedChatAdmin(Owned):
    list_display = ("id", "whose", "origin", "source_row", "waiting")
    list_filter = ("waiting", ProfileFilter)
    search_fields = ("=audit_id", *WHOSE)

    @admin.display(description="import")
    def origin(self, row: ImportedChat) -> str:
        return link(Import, row.source_id, "import")

    @admin.display(description="source")
    def source_row(self, row: ImportedChat) -> str:
        return link(AuditLog, row.audit_id, f"audit row {row.audit_id}")


@admin.register(Installation)
class InstallationAdmin(Table):
    hidden = ("value",)
    list_display = ("name",)
    search_fields = ("name",)
