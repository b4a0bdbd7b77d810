"""What a person can type in; what it means is for memory's verbs to say."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from dashboard.filters import CATEGORIES
from memory.models import Fact, Space


def _share(**more: Any) -> forms.FloatField:
    widget = forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"})
    return forms.FloatField(min_value=0, max_value=1, widget=widget, **more)


class FactForm(forms.Form):
    """A correction. `version` is the version that the person saw."""

    value = forms.CharField(
        label=_("Value"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3, "dir": "auto", "autofocus": True})
    )
    confidence = _share(label=_("Confidence"))
    importance = _share(label=_("Importance"), required=False)
    category = forms.ChoiceField(label=_("Category"), choices=[*CATEGORIES.items()], required=False)
    space = forms.ChoiceField(label=_("Space"), required=False)
    expires = forms.DateField(
        label=_("Expires on"), required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, spaces: Iterable[Space] = (), fact: Fact | None = None, **kwargs: Any) -> None:
        if fact is not None:
            kwargs["initial"] = _initial(fact)
        kwargs.setdefault("auto_id", f"id_{fact.id}_%s" if fact is not None else "id_%s")
        super().__init__(*args, **kwargs)
        where: Any = self.fields["space"]
        where.choices = [("", _("Everywhere")), *((space.slug, space.name or space.slug) for space in spaces)]

    def changes(self) -> dict[str, Any]:
        """What was changed, as the verbs take it; a field that the page did not have is not."""
        typed = self.cleaned_data
        changes: dict[str, Any] = {}
        for name in (name for name in self.changed_data if name in self.data):
            if name == "space":
                changes["space"] = typed["space"] or None
            elif name == "expires":
                changes["expires_at"] = _end_of_day(typed["expires"])
            elif name != "version" and typed[name] not in (None, ""):
                changes[name] = typed[name]
        return changes

    def edit(self) -> dict[str, Any]:
        """What the verb takes."""
        return {"changes": self.changes(), "version": self.cleaned_data["version"]}


class NewFactForm(FactForm):
    """A fact that the person writes."""

    key = forms.CharField(
        label=_("Key"),
        required=False,
        max_length=120,
        help_text=_("Such as dog.name or preference.coffee; left empty, the fact stands by itself."),
    )
    field_order = ("value", "key", "category", "space", "importance", "expires")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"category": "fact", "importance": 0.5})
        super().__init__(*args, **kwargs)
        del self.fields["version"], self.fields["confidence"]

    def fact(self) -> dict[str, Any]:
        """What the verb takes."""
        typed = self.cleaned_data
        fields = {
            "key": typed["key"] or None,
            "value": typed["value"],
            "space": typed["space"] or None,
            "expires_at": _end_of_day(typed["expires"]),
        }
        if typed["category"]:
            fields["category"] = typed["category"]
        if typed["importance"] is not None:
            fields["importance"] = typed["importance"]
        return fields


def _initial(fact: Fact) -> dict[str, Any]:
    expires = timezone.localtime(fact.expires_at).date() if fact.expires_at else None
    return {
        "value": fact.value,
        "confidence": round(fact.confidence, 4),
        "importance": round(fact.importance, 4),
        "category": fact.category,
        "space": fact.space.slug if fact.space else "",
        "expires": expires,
        "version": fact.version,
    }


def _end_of_day(day: Any) -> str | None:
    """A fact holds through the day on which it expires, in the person's zone."""
    return timezone.make_aware(datetime.combine(day, time(23, 59, 59))).isoformat() if day else None
