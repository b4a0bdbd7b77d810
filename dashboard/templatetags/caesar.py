"""Times as people say them, numbers as they read them, and links that keep what a list was narrowed by."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.http import HttpRequest
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory.domain.roles import EntityKind

register = template.Library()


@register.filter
def when(at: datetime | None) -> SafeString | str:
    """How long ago, with the exact time in the person's zone on hover."""
    return _time(at, lambda local: ago(local, timezone.now())) if at else ""


@register.filter
def clock(at: datetime | None) -> SafeString | str:
    """Date and time of day in the person's zone, with seconds and zone on hover."""
    return _time(at, lambda local: local.strftime("%Y-%m-%d %H:%M")) if at else ""


def _time(at: datetime, text: Any) -> SafeString:
    local = timezone.localtime(at)
    exact = f"{local:%Y-%m-%d %H:%M:%S} {local:%z} ({timezone.get_current_timezone_name()})"
    return format_html('<time datetime="{}" title="{}">{}</time>', local.isoformat(), exact, text(local))


def ago(at: datetime, now: datetime) -> str:
    """ "3 hours ago", "in 5 minutes", or the day where that is more than a week away. `at` is in the person's zone."""
    distance = abs(now - at)
    if distance < timedelta(minutes=1):
        return _("just now")
    if distance >= timedelta(days=7):
        this_year = at.year == now.astimezone(at.tzinfo).year
        return formats.date_format(at, "j M" if this_year else "j M Y")
    minutes = int(distance.total_seconds() // 60)
    if minutes < 60:
        span = ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}
    elif minutes < 24 * 60:
        hours = minutes // 60
        span = ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours}
    else:
        days = minutes // (24 * 60)
        span = ngettext("%(n)d day", "%(n)d days", days) % {"n": days}
    return _("%(span)s ago") % {"span": span} if at < now else _("in %(span)s") % {"span": span}


@register.simple_tag(takes_context=True)
def with_query(context: dict[str, Any], **changes: object) -> str:
    """This page's query with some values changed; an empty value leaves the name out."""
    request: HttpRequest = context["request"]
    query = request.GET.copy()
    for name, value in changes.items():
        query.pop(name, None)
        if value not in (None, ""):
            query[name] = str(value)
    return "?" + query.urlencode()


@register.filter
def undo_of(message: Any) -> uuid.UUID | None:
    """The fact whose deletion a message tells of, so that it can be taken back."""
    kind, _space, raw = (message.extra_tags or "").partition(" ")
    try:
        return uuid.UUID(raw) if kind == "undo" else None
    except ValueError:
        return None


ACTORS = {
    "person": gettext_lazy("you"),
    "operator": gettext_lazy("the operator"),
    "worker": gettext_lazy("a worker"),
    "system": gettext_lazy("the system"),
}
ENTITY_KINDS = {
    EntityKind.PERSON: gettext_lazy("person"),
    EntityKind.PET: gettext_lazy("pet"),
    EntityKind.ORGANISATION: gettext_lazy("organisation"),
    EntityKind.PROJECT: gettext_lazy("project"),
    EntityKind.PLACE: gettext_lazy("place"),
    EntityKind.DEVICE: gettext_lazy("device"),
    EntityKind.VEHICLE: gettext_lazy("vehicle"),
}


@register.filter
def actor(name: str) -> str:
    """Who did it, in the person's language."""
    return str(ACTORS.get(name, name))


@register.filter
def kind(of: str) -> str:
    """What an entity is, in the person's language."""
    return str(next((words for kind, words in ENTITY_KINDS.items() if kind == of), of))


@register.filter
def counted(number: int) -> str:
    """A number for the navigation, where more than 99 is told as that."""
    return str(number) if number < 100 else "99+"
