"""What the admin's tables have in common."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from memory.models import Profile

MOST_COUNTED = 10_000
MOST_LISTED = 200  # profiles to choose from
SHOWN = 50
WHOSE = ("profile__name", "profile__user__username")


class BoundedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts so far only: the log may have millions of rows."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return len(rows.order_by().values_list("pk")[:MOST_COUNTED])


class KnownRows(admin.ModelAdmin):  # type: ignore[type-arg]
    """Of the rows that an action is asked for, those are left out whose id can be no row's, as those are that went."""

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:
        sent = request.POST.copy()
        sent.setlist(ACTION_CHECKBOX_NAME, [i for i in sent.getlist(ACTION_CHECKBOX_NAME) if self._may_be_a_row(i)])
        request.POST = sent  # type: ignore[assignment]
        return super().response_action(request, queryset, *args, **kwargs)

    def _may_be_a_row(self, given: str) -> bool:
        try:
            self.opts.pk.to_python(given)  # type: ignore[union-attr]
        except ValidationError:
            return False
        return "\0" not in given


class Table(KnownRows):
    """A table to look at. `hidden` columns (digests, secrets, vectors) are not shown to anyone."""

    hidden: tuple[str, ...] = ()
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 200
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer(*self.hidden)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """For actions on tables that are otherwise only looked at."""
        return bool(request.user.is_active and request.user.is_superuser)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [f.name for f in self.model._meta.concrete_fields if f.name not in self.hidden]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        editable = self.form._meta.fields or () if self.form is not forms.ModelForm else ()
        return [name for name in self.get_fields(request, obj) if name not in editable]


class ProfileFilter(admin.SimpleListFilter):
    """Whose rows: one person's."""

    title = "profile"
    parameter_name = "whose"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = Profile.objects.select_related("user").order_by("user__username", "name")[:MOST_LISTED]
        return [(str(profile.id), f"{profile.user.get_username()}: {profile.name}") for profile in rows]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        try:
            return queryset.filter(profile_id=uuid.UUID(self.value() or "")) if self.value() else queryset
        except ValueError:
            return queryset.none()


class Owned(Table):
    """A table of people's rows: whose each is, with a link there, found by the person's name, narrowed to one."""

    list_select_related: ClassVar[Any] = ("profile",)
    list_filter: ClassVar[Any] = (ProfileFilter,)
    search_fields: ClassVar[Any] = WHOSE

    @admin.display(description="profile", ordering="profile__name")
    def whose(self, row: Any) -> SafeString | str:
        return link(Profile, row.profile_id, row.profile)


class VerbTable(Table):
    """A table whose rows are changed by memory's verbs (`site.afterwards`), which write the audit log themselves."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        raise NotImplementedError

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        return None

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        return None

    def message_user(
        self,
        request: HttpRequest,
        message: Any,
        level: int | str = messages.INFO,
        extra_tags: str = "",
        fail_silently: bool = False,
    ) -> None:
        # Nothing has been done yet when Django says so.
        if level != messages.SUCCESS:
            super().message_user(request, message, level, extra_tags, fail_silently)


def choice_filter(field: str, values: Iterable[StrEnum], heading: str = "") -> type[admin.SimpleListFilter]:
    """A filter over known values; Django's own would search the whole table for those in use."""

    class Filter(admin.SimpleListFilter):
        title = heading or field.replace("_", " ")
        parameter_name = field

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            return [(value.value, value.value) for value in values]

        def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
            return queryset.filter(**{field: self.value()}) if self.value() else queryset

    return Filter


def short(text: Any) -> str:
    return Truncator(" ".join(str(text).split())).chars(SHOWN)


def pretty(value: Any) -> SafeString:
    """JSON to be read."""
    return format_html("<pre>{}</pre>", json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True))


def listing(model: type[Model], text: str, **narrowed: Any) -> SafeString:
    """To a table, narrowed."""
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return format_html('<a href="{}?{}">{}</a>', url, urlencode(narrowed), text)


def link(model: type[Model], pk: Any, text: Any) -> SafeString | str:
    """To the row's own page."""
    if pk is None:
        return "-"
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[pk])
    return format_html('<a href="{}">{}</a>', url, text)
