"""The audit log, to be read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from caesar.admin.base import WHOSE, Owned, ProfileFilter, choice_filter, link, pretty
from memory.models import AuditLog, Conversation, Event


@admin.register(AuditLog)
class AuditLogAdmin(Owned):
    list_display = ("id", "at", "event_type", "actor", "whose", "talk")
    list_filter = (choice_filter("event_type", Event), ProfileFilter, "at")
    search_fields = ("=id", *WHOSE)
    search_help_text = "A row's number, or the name of a profile or account."
    ordering = ("-id",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return ["id", "event_type", "at", "said_at", "actor", "profile", "conversation", "space", "mine_facts",
                "mine_summary", "xid", "shown_payload"]  # fmt: skip

    @admin.display(description="conversation")
    def talk(self, row: AuditLog) -> str:
        return link(Conversation, row.conversation_id, "conversation")

    @admin.display(description="payload")
    def shown_payload(self, row: AuditLog) -> str:
        return pretty(row.payload)
