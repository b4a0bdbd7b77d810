"""Facts: looked at, edited and deleted through the same verbs as everywhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from caesar.admin.base import WHOSE, Owned, ProfileFilter, choice_filter, link, short
from caesar.admin.deletion import DeletedByVerb
from caesar.admin.site import Verb, afterwards
from memory import facts
from memory.domain.types import Category
from memory.models import AuditLog, Fact, FactSource, FactState, SourceKind, Space, Tombstone, TombstoneKind

OPEN = (FactState.CURRENT, FactState.PENDING)


class FactForm(forms.ModelForm):  # type: ignore[type-arg]
    """What may be edited. `seen_version` is the version that was shown."""

    value = forms.CharField(widget=forms.Textarea(attrs={"rows": 3, "cols": 80, "dir": "auto"}))
    confidence = forms.FloatField(min_value=0, max_value=1)
    importance = forms.FloatField(min_value=0, max_value=1)
    category = forms.ChoiceField(choices=[(c.value, c.value) for c in Category])
    seen_version = forms.IntegerField(widget=forms.HiddenInput)

    class Meta:
        model = Fact
        fields = ("value", "confidence", "importance", "category", "space", "expires_at")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "seen_version" in self.fields:
            self.fields["seen_version"].initial = self.instance.version
        if "space" in self.fields:
            spaces: Any = self.fields["space"]
            there = Space.objects.filter(removed_at__isnull=True)
            spaces.queryset = there.filter(profile_id=self.instance.profile_id)

    def changes(self) -> dict[str, Any]:
        """What was changed, as the verb takes it."""
        new = {name: self.cleaned_data[name] for name in self.changed_data if name in facts.EDITABLE}
        if "space" in new:
            new["space"] = new["space"].slug if new["space"] else None
        if new.get("expires_at"):
            new["expires_at"] = new["expires_at"].isoformat()
        return new


@admin.register(Fact)
class FactAdmin(Owned, DeletedByVerb):
    counted_as = "facts"
    form = FactForm
    list_display = ("key", "shown_value", "state", "sure", "whose", "last_confirmed_at", "source")
    list_display_links = ("key", "shown_value")
    list_filter = (
        choice_filter("state", [s for s in FactState if s is not FactState.DELETED]),
        choice_filter("category", Category),
        choice_filter("source_kind", SourceKind),
        "pinned",
        ProfileFilter,
    )
    search_fields = ("=id", "key", "value", *WHOSE)
    actions = ("approve", "reject")

    @admin.action(permissions=["operate"], description="Approve: these proposals hold from now on")
    def approve(self, request: HttpRequest, queryset: QuerySet[Fact]) -> None:
        self._answer(request, queryset, facts.approve)

    @admin.action(permissions=["operate"], description="Reject: these claims are not raised again")
    def reject(self, request: HttpRequest, queryset: QuerySet[Fact]) -> None:
        self._answer(request, queryset, facts.reject)

    @staticmethod
    def _answer(request: HttpRequest, queryset: QuerySet[Fact], verb: Callable[..., Fact]) -> None:
        """In the order of saying, so that the last word on a key stands."""
        for profile_id, fact_id in queryset.order_by("said_at", "id").values_list("profile_id", "id"):
            afterwards(request, partial(verb, profile_id=profile_id, fact_id=fact_id, actor="operator"))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """A deleted fact is gone from every read, this one too."""
        return super().get_queryset(request).exclude(state=FactState.DELETED)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        shown = [name for name in super().get_fields(request, obj) if name not in ("deleted_at", "source_audit")]
        return [*shown, "source", *(["seen_version"] if self._editable(obj) else [])]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [name for name in super().get_readonly_fields(request, obj) if name != "seen_version"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or self._editable(obj))

    @staticmethod
    def _editable(obj: Any) -> bool:
        return obj is not None and obj.state in OPEN

    @admin.display(description="value")
    def shown_value(self, fact: Fact) -> str:
        return short(fact.value)

    @admin.display(description="confidence", ordering="confidence")
    def sure(self, fact: Fact) -> str:
        return f"{fact.confidence:.2f}"

    @admin.display(description="source")
    def source(self, fact: Fact) -> str:
        return link(AuditLog, fact.source_audit_id, f"audit row {fact.source_audit_id}")

    def save_model(self, request: HttpRequest, obj: Fact, form: Any, change: bool) -> None:
        edit = partial(
            facts.edit,
            profile_id=obj.profile_id,
            fact_id=obj.pk,
            changes=form.changes(),
            version=form.cleaned_data["seen_version"],
            actor="operator",
        )
        afterwards(request, edit)

    def deletion(self, row: Fact) -> Verb:
        return partial(facts.delete, profile_id=row.profile_id, fact_id=row.pk, actor="operator")


@admin.register(FactSource)
class FactSourceAdmin(Owned):
    list_display = ("id", "its_fact", "whose", "source")
    list_select_related = ("profile", "fact")
    search_fields = ("=audit__id", *WHOSE)

    @admin.display(description="fact")
    def its_fact(self, row: FactSource) -> str:
        return link(Fact, row.fact_id, short(row.fact))

    @admin.display(description="source")
    def source(self, row: FactSource) -> str:
        return link(AuditLog, row.audit_id, f"audit row {row.audit_id}")


@admin.register(Tombstone)
class TombstoneAdmin(Owned):
    hidden = ("digest",)
    list_display = ("id", "whose", "kind", "at")
    list_filter = (choice_filter("kind", TombstoneKind), ProfileFilter)
