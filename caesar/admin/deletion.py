"""Tables whose rows the operator may delete, by the same verbs as everybody else."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from caesar.admin.base import VerbTable, short
from caesar.admin.site import Verb, afterwards


class DeletedByVerb(VerbTable):
    """Each row goes by a call of its own, which writes the audit log. Nothing cascades but what the verb takes away."""

    counted_as: ClassVar[str]  # such rows, where their deletion is to be confirmed

    def deletion(self, row: Any) -> Verb:
        """What deletes the row."""
        raise NotImplementedError

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        afterwards(request, self.deletion(obj))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for row in queryset.select_related(None).only("id", "profile_id"):
            self.delete_model(request, row)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        named = [self.named(row) for row in objs]
        return named, {self.counted_as: len(named)}, set(), []

    def named(self, row: Any) -> str:
        """How a row is called where its deletion is to be confirmed."""
        return short(row)
