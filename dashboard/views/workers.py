"""Background work: what waits, fails or was given up, how far behind it is, and what it costs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from dashboard.days_shown import charts
from dashboard.pages import page, see_other
from dashboard.person import Person, operators_page, own_page
from memory import cursor, operations, work, work_days, work_selectors, workers
from memory.db import profile_scope
from memory.errors import Conflict, NotFound

PAGE_SIZE = 25
MOST_LISTED = 2_500
DAYS = 30
LIST = reverse_lazy("dashboard:workers")
STANDINGS = {
    "dead": gettext_lazy("Given up"),
    "failing": gettext_lazy("Failing"),
    "waiting": gettext_lazy("Waiting"),
    "running": gettext_lazy("Being read"),
    "done": gettext_lazy("Read"),
}
KINDS = {"extract": gettext_lazy("Facts"), "summarise": gettext_lazy("Summary")}


class Bounded(Paginator):  # type: ignore[type-arg]
    """Pages of the newest alone: what was read long ago is told by the timeline."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:MOST_LISTED].count())


@require_safe
@own_page
def listed(request: HttpRequest, person: Person) -> HttpResponse:
    profile_id = person.profile.id
    standing = request.GET.get("state", "")
    with profile_scope(profile_id):
        counts = work_selectors.counts(profile_id=profile_id)
        if standing not in STANDINGS:
            standing = next((name for name in ("dead", "failing", "waiting", "running") if counts[name]), "done")
        rows = work_selectors.listed(profile_id=profile_id, standing=standing)
        there = Bounded(rows, PAGE_SIZE).get_page(request.GET.get("page"))
        items = [{"item": item, "kind": KINDS.get(item.kind, item.kind)} for item in there]
        vectors, vector_error = work_selectors.waiting_for_vectors(profile_id=profile_id)
        days = work_days.days(
            profile_id=profile_id, zone=timezone.get_current_timezone(), today=timezone.localdate(), many=DAYS
        )
    context: dict[str, Any] = {
        "page": there,
        "items": items,
        "standing": standing,
        "standings": [(name, label, counts.get(name)) for name, label in STANDINGS.items()],
        "vectors": vectors,
        "vector_error": vector_error,
        "charts": charts(days),
        "dead": counts["dead"],
    }
    if person.user.is_superuser:
        context |= _installation(days)
    return page(request, person, "workers.html", context, name="workers")


def _installation(own: list[work_days.Day]) -> dict[str, Any]:
    """What concerns everybody, for the operator. Where all that was done was done for one, it is not drawn twice."""
    today, zone = timezone.localdate(), timezone.get_current_timezone()
    counted = work_selectors.everybodys_counts()
    lately = work_selectors.everybodys_lately(span=timedelta(hours=1))
    kinds = sorted({kind for kind, _state in counted})
    days = work_days.everybodys_days(zone=zone, today=today, many=DAYS)
    return {
        "queues": [
            (KINDS.get(kind, kind), [*(counted[kind, state] for state in work_selectors.OPEN), lately[kind]])
            for kind in kinds
        ],
        "lags": cursor.lag(),
        "workers": workers.listed(),
        "pauses": work_selectors.pauses(),
        "everybodys": charts(days) if days != own else [],
        "all_dead": sum(many for (_kind, state), many in counted.items() if state == "dead"),
    }


@require_POST
@own_page
def retry(request: HttpRequest, person: Person, item_id: int) -> HttpResponse:
    try:
        work.retry_item(profile_id=person.profile.id, item_id=item_id)
    except NotFound:
        raise Http404 from None
    except Conflict as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("It is read again as soon as a worker is free."))
    return see_other(request, LIST)


@require_POST
@own_page
def retry_all(request: HttpRequest, person: Person) -> HttpResponse:
    many = work.retry_dead(profile_id=person.profile.id)
    messages.success(request, ngettext("%(n)d chat is read again.", "%(n)d chats are read again.", many) % {"n": many})
    return see_other(request, LIST)


@require_POST
@operators_page
def retry_everybodys(request: HttpRequest, person: Person) -> HttpResponse:
    many = operations.retry_all_dead()
    messages.success(request, ngettext("%(n)d chat is read again.", "%(n)d chats are read again.", many) % {"n": many})
    return see_other(request, LIST)
