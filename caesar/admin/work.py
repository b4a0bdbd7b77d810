"""The background work: what waits, failed or was given up, and one click to have it tried again."""

from __future__ import annotations

from functools import partial

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from caesar.admin.base import Table, choice_filter, link, short
from caesar.admin.site import afterwards
from memory import requeue
from memory.models import AuditLog, MemoryCursor, ModelPause, WorkItem, WorkKind, WorkState


@admin.register(WorkItem)
class WorkItemAdmin(Table):
    hidden = ("token",)
    list_display = ("id", "kind", "state", "profile", "source", "attempts", "not_before", "shown_error")
    list_select_related = ("profile",)
    list_filter = (choice_filter("state", WorkState), choice_filter("kind", WorkKind))
    search_fields = ("=id", "=audit_id", "profile__name", "error")
    ordering = ("-id",)
    actions = ("retry",)

    @admin.display(description="source")
    def source(self, item: WorkItem) -> str:
        return link(AuditLog, item.audit_id, f"audit row {item.audit_id}")

    @admin.display(description="error")
    def shown_error(self, item: WorkItem) -> str:
        return short(item.error)

    @admin.action(permissions=["operate"], description="Retry: due at once, with all attempts before it")
    def retry(self, request: HttpRequest, queryset: QuerySet[WorkItem]) -> None:
        for profile_id, item_id in queryset.values_list("profile_id", "id"):
            afterwards(request, partial(requeue.requeue, profile_id=profile_id, item_id=item_id))


@admin.register(MemoryCursor)
class MemoryCursorAdmin(Table):
    list_display = ("kind", "audit_id", "xid", "ticked_at")


@admin.register(ModelPause)
class ModelPauseAdmin(Table):
    list_display = ("route", "until", "failures", "shown_reason")

    @admin.display(description="reason")
    def shown_reason(self, pause: ModelPause) -> str:
        return short(pause.reason)
