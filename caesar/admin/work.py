"""The background work: what waits, failed or was given up, and one click to have it tried again."""

from __future__ import annotations

from functools import partial

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from caesar.admin.base import WHOSE, Owned, ProfileFilter, Table, choice_filter, link, short
from caesar.admin.site import afterwards
from memory import requeue
from memory.models import AuditLog, MemoryCursor, ModelPause, Worker, WorkItem, WorkKind, WorkState


@admin.register(WorkItem)
class WorkItemAdmin(Owned):
    hidden = ("token",)
    list_display = ("id", "kind", "state", "whose", "source", "attempts", "not_before", "shown_error")
    list_filter = (choice_filter("state", WorkState), choice_filter("kind", WorkKind), ProfileFilter)
    search_fields = ("=id", "=audit_id", "error", *WHOSE)
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
    list_display = ("kind", "source", "xid", "ticked_at")
    search_fields = ("kind",)

    @admin.display(description="up to")
    def source(self, cursor: MemoryCursor) -> str:
        return link(AuditLog, cursor.audit_id, f"audit row {cursor.audit_id}")


@admin.register(Worker)
class WorkerAdmin(Table):
    list_display = ("name", "queues", "threads", "version", "seen_at", "problem")
    search_fields = ("name", "queues", "problem")
    list_filter = ("seen_at",)
    ordering = ("name",)


@admin.register(ModelPause)
class ModelPauseAdmin(Table):
    list_display = ("route", "until", "failures", "shown_reason")
    search_fields = ("route", "reason")
    list_filter = ("until",)

    @admin.display(description="reason")
    def shown_reason(self, pause: ModelPause) -> str:
        return short(pause.reason)
