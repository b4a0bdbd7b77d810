"""The audit log, to be read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from caesar.admin.base import Table, choice_filter, pretty
from memory.models import AuditLog, Event


@admin.register(AuditLog)
class AuditLogAdmin(Table):
    list_display = ("id", "at", "event_type", "actor", "profile", "conversation_id")
    list_select_related = ("profile",)
    list_filter = (choice_filter("event_type", Event), "at")
    search_fields = ("=id", "profile__name", "profile__user__username")
    search_help_text = "A row's number, or the name of a profile or account."
    ordering = ("-id",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return ["id", "event_type", "at", "said_at", "actor", "profile", "conversation", "space", "mine_facts",
                "mine_summary", "xid", "shown_payload"]  # fmt: skip

    @admin.display(description="payload")
    def shown_payload(self, row: AuditLog) -> str:
        return pretty(row.payload)
