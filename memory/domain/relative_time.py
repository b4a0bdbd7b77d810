"""How long ago, in words: whole calendar days in the person's own time zone."""

from __future__ import annotations

from datetime import datetime, tzinfo


def relative_time(at: datetime, now: datetime, zone: tzinfo) -> str:
    """ "today", "yesterday", "3 days ago", "last week", "2 months ago". Both times must be aware.

    What lies in the future (a clock that was wrong) counts as today.
    """
    days = (now.astimezone(zone).date() - at.astimezone(zone).date()).days
    if days <= 0:
        return "today"
    if days == 1:
        return "yesterday"
    if days < 7:
        return f"{days} days ago"
    if days < 14:
        return "last week"
    if days < 30:
        return f"{days // 7} weeks ago"
    if days < 60:
        return "last month"
    if days < 365:
        return f"{min(days // 30, 11)} months ago"
    return "last year" if days < 730 else f"{days // 365} years ago"
