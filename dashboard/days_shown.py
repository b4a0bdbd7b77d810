"""The last days of background work, as charts."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard.charts import Chart, chart, dollars
from memory.work_days import Day

MOST_NAMED = 3


def charts(days: Sequence[Day]) -> list[Chart]:
    """None where nothing happened."""
    if not any(day.read or day.calls for day in days):
        return []
    labels = [f"{day.day:%Y-%m-%d}" for day in days]

    def over(title: str, values: Sequence[float]) -> Chart:
        return chart(title, list(zip(labels, values, strict=True)))

    cost = list(zip(labels, [day.dollars for day in days], strict=True))
    unpriced = sorted(frozenset[str]().union(*(day.unpriced for day in days)))
    unknown = _("unknown") if unpriced and not any(day.dollars for day in days) else ""
    return [
        over(_("Chats read a day"), [day.read for day in days]),
        over(_("Calls of models a day"), [day.calls for day in days]),
        over(_("Tokens a day"), [day.tokens for day in days]),
        chart(_("Cost a day"), cost, show=dollars, caption=unknown, note=_note(unpriced)),
    ]


def _note(unpriced: Sequence[str]) -> str:
    if not unpriced:
        return ""
    named = ", ".join(name[:60] or _("a model without a name") for name in unpriced[:MOST_NAMED])
    if len(unpriced) > MOST_NAMED:
        more = len(unpriced) - MOST_NAMED
        named += ngettext(" and %(n)d more", " and %(n)d more", more) % {"n": more}
    return _("Without %(models)s: price unknown.") % {"models": named}
