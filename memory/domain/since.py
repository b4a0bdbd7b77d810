"""From when on a claim holds: the date that a model gives, where it is one and follows from what the person said."""

from __future__ import annotations

import re
from datetime import date, datetime, time, tzinfo

from .temporal import WrittenDate, follows
from .text import normalise

EARLIEST = date(1900, 1, 1)
YEARS_AHEAD = 10
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


def valid_from(raw: str | None, *, text: str, said_at: datetime, zone: tzinfo) -> datetime | None:
    """The beginning of that day in the person's zone.

    None where it is no whole ISO date, out of range (before 1900, more than ten years ahead), or nothing that can be
    worked out from `text`, said at `said_at`: models invent dates.
    """
    match = _DATE.fullmatch(raw or "")
    if match is None:
        return None
    year, month, day = (int(part) for part in match.groups())
    try:
        wanted = date(year, month, day)
    except ValueError:
        return None
    said = said_at.astimezone(zone).date()
    if wanted < EARLIEST or year > said.year + YEARS_AHEAD:
        return None
    folded = normalise(text)
    named = (month, day) == (1, 1) and re.search(rf"(?<!\d){year}(?!\d)", folded)  # "since 2019"
    if not named and not follows(WrittenDate(0, 0, year, month, day), folded, said):
        return None
    return datetime.combine(wanted, time.min, tzinfo=zone)
