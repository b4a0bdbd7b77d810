"""Dates in words and figures: does a date that a model worked out follow from what the person said."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import regex

from .lexicon import DAYS_AWAY, MONTHS, NUMBERS, WEEKDAYS
from .relative import has_relative_time

_ISO = regex.compile(r"(?<!\d)(\d{4})-(\d{2})(?:-(\d{2}))?(?:[t ](\d{2}):(\d{2})(?::\d{2})?\S*)?(?!\d)")
_CLOCK = regex.compile(r"(?<![\d:.])(\d{1,2})[:.h](\d{2})(?!\d)\s*(am|pm|a\.m|p\.m)?")
_HOUR = regex.compile(
    r"(?<![\d:.,])(\d{1,2})\s*(am|pm|a\.m|p\.m|uhr|o'clock|h\b)|\b(?:at|um|\u00e0|alle|om|klo|kl)\s+(\d{1,2})\b(?![:.]\d|\s*(?:am|pm|a\.m|p\.m)\b)"
)
_WORD = regex.compile(r"[\p{L}']+(?:-[\p{L}]+)*")
_DENSE_DAY = regex.compile(r"\d{1,2}\s*[\u6708\uc6d4]\s*\d{1,2}\s*[\u65e5\uc77c\u53f7]?")
_NUMERIC_DAY = regex.compile(
    r"(?<![\d.])(\d{1,2})\s*([./]|-(?=\d{1,2}-))\s*(\d{1,2})(?:\s*[./-]\s*(\d{4}|\d{2}))?(?!\d)"
)
_DAY_NUMBER = regex.compile(r"(?<![\d.:])(\d{1,2})(?:st|nd|rd|th|\.|er|º)?(?![\d:])")
_YEAR = regex.compile(r"(?<!\d)((?:1[89]|20)\d{2})(?!\d)")
_COUNT = r"(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a\s+couple\s+of)"
_SPAN = regex.compile(
    rf"\b(?:{_COUNT}\s+(day|week|month|year)s?\s+(ago|from\s+(?:now|today)|earlier|later)|in\s+{_COUNT}\s+(day|week|month|year)s?)\b"
)
_NEARBY = regex.compile(
    r"\b(last|next|this|coming|past)\s+(week|month|year|weekend|spring|summer|autumn|fall|winter)\b"
)
_LAST_NIGHT = regex.compile(r"\blast\s+night\b")
_TODAY = regex.compile(r"\bthis\s+(?:morning|afternoon|evening)\b")
_FIGURES = regex.compile(r"\d+")
_DENSE_DAYS = regex.compile("|".join(word for word in DAYS_AWAY if not regex.match(r"[\p{Latin}\p{Cyrillic}]", word)))
_SEASONS = {"spring": (3, 6), "summer": (6, 9), "autumn": (9, 12), "fall": (9, 12), "winter": (12, 3)}
_STEP = {"day": (1, 0), "week": (7, 4), "month": (30, 17), "year": (365, 190)}


@dataclass(frozen=True)
class WrittenDate:
    """A date as a value has it: a year with, perhaps, month, day and clock time; and where it stands."""

    start: int
    end: int
    year: int
    month: int | None = None
    day: int | None = None
    clock: tuple[int, int] | None = None


def written_dates(folded: str) -> list[WrittenDate]:
    """The ISO dates in a folded text; impossible ones are not dates."""
    found = []
    for match in _ISO.finditer(folded):
        year, month, day, hour, minute = (int(part) if part else None for part in match.groups())
        if year and month and 1 <= month <= 12 and 1 <= (day or 1) <= calendar.monthrange(year, month)[1]:
            clock = (hour, minute or 0) if hour is not None and (hour, minute) != (0, 0) else None
            found.append(WrittenDate(match.start(), match.end(), year, month, day, clock))
    return found


def follows(wanted: WrittenDate, folded: str, said: date | None) -> bool:
    """Whether the date follows from the (folded) text that was said on the day `said`."""
    if wanted.clock and wanted.clock not in clock_times(folded):
        return False
    return any(_same(wanted, lo, hi) for lo, hi in mentioned(folded, said, wanted.year))


def year_follows(year: int, folded: str, said: date | None) -> bool:
    """Whether a bare year is the one that the text must mean: said relatively, or left out beside a day."""
    return any(lo.year <= year <= hi.year for lo, hi in mentioned(folded, said, year))


def clock_times(folded: str) -> set[tuple[int, int]]:
    """Every time of day that the text may mean; "at 9" may be in the morning or in the evening."""
    found: set[tuple[int, int]] = set()
    for match in _CLOCK.finditer(folded):
        found |= _hours(int(match[1]), int(match[2]), match[3])
    for match in _HOUR.finditer(folded):
        found |= _hours(int(match[1] or match[3]), 0, match[2])
    return found


def _hours(hour: int, minute: int, half: str | None) -> set[tuple[int, int]]:
    if half in ("am", "a.m"):
        return {(hour % 12, minute)}
    if half in ("pm", "p.m"):
        return {(hour % 12 + 12, minute)}
    return {(hour, minute)} | ({((hour + 12) % 24, minute)} if hour <= 12 else set())


def _same(wanted: WrittenDate, lo: date, hi: date) -> bool:
    if wanted.month is None:
        return lo.year <= wanted.year <= hi.year
    if wanted.day is None:
        return (lo.year, lo.month) <= (wanted.year, wanted.month) <= (hi.year, hi.month)
    return lo <= date(wanted.year, wanted.month, wanted.day) <= hi


@lru_cache(maxsize=256)
def mentioned(folded: str, said: date | None, year: int) -> tuple[tuple[date, date], ...]:
    """The ranges of days that the text speaks of; those without a year are meant near the day it was said."""
    years = {int(found) for found in _YEAR.findall(folded)}
    near = years or ({said.year - 1, said.year, said.year + 1} if said else {year})
    ranges = [*_by_month(folded, near), *_by_figures(folded, near)]
    if said:
        ranges += [*_by_word(folded, said), *_by_span(folded, said), *_nearby(folded, said)]
        ranges = [(lo, hi) for lo, hi in ranges if years or abs((lo - said).days) <= 400]
    elif has_relative_time(folded):
        ranges.append((date(year, 1, 1), date(year, 12, 31)))
    return tuple(ranges)


def _by_month(folded: str, years: set[int]) -> list[tuple[date, date]]:
    """ "14 May", "May 14th", "in May"."""
    found = []
    for match in _WORD.finditer(folded):
        month = MONTHS.get(match.group())
        if month is None:
            continue
        around = folded[max(0, match.start() - 8) : match.start()] + " " + folded[match.end() : match.end() + 7]
        days = [int(number) for number in _DAY_NUMBER.findall(around)]
        for year in years:
            last = calendar.monthrange(year, month)[1]
            exact = [day for day in days if 1 <= day <= last]
            if exact:
                found += [(date(year, month, day), date(year, month, day)) for day in exact]
            elif match.group() not in ("may", "march", "mars", "mar", "mai") or regex.search(
                r"\b(?:in|since|last|next|this|of|until|till|by|im|seit|en)\s+$", folded[: match.start()]
            ):  # these are other words as well
                found.append((date(year, month, 1), date(year, month, last)))
    return found


def _by_figures(folded: str, years: set[int]) -> list[tuple[date, date]]:
    """ "14.5.", "5/14/2026", "2026-05-14", "5\u670814\u65e5"; which of two figures is the month stays open."""
    pairs: list[tuple[int, int, set[int]]] = []
    for match in _NUMERIC_DAY.finditer(folded):
        own = {int(match[4]) if len(match[4]) == 4 else 2000 + int(match[4])} if match[4] else years
        pairs += [(int(match[1]), int(match[3]), own), (int(match[3]), int(match[1]), own)]
    for match in _DENSE_DAY.finditer(folded):
        month, day = (int(part) for part in _FIGURES.findall(match.group()))
        pairs.append((month, day, years))
    pairs += [(iso.month or 0, iso.day or 0, {iso.year}) for iso in written_dates(folded)]
    return [
        (date(year, month, day), date(year, month, day))
        for month, day, own in pairs
        for year in own
        if 1 <= month <= 12 and 1 <= year <= 9999 and 1 <= day <= calendar.monthrange(year, month)[1]
    ]


def _by_word(folded: str, said: date) -> list[tuple[date, date]]:
    """ "yesterday", "on Monday", also in scripts without spaces."""
    found = []
    words = _WORD.findall(folded) + _DENSE_DAYS.findall(folded)
    for word in words:
        if (away := DAYS_AWAY.get(word)) is not None:
            found.append(said + timedelta(away))
            if regex.search(rf"\bday\s+(?:before|after)\s+{regex.escape(word)}\b", folded):
                found.append(said + timedelta(2 * away))
    if _LAST_NIGHT.search(folded):
        found.append(said - timedelta(1))
    if _TODAY.search(folded):
        found.append(said)
    for word, weekday in WEEKDAYS.items():
        if word in words or (not word.isascii() and word in folded):
            found += [day for n in range(-14, 15) if (day := said + timedelta(n)).isoweekday() == weekday]
    return [(day, day) for day in found]


def _by_span(folded: str, said: date) -> list[tuple[date, date]]:
    """ "two weeks ago", "in 3 months", with the slack that such words have."""
    found = []
    for match in _SPAN.finditer(folded):
        count, unit = match[1] or match[4], match[2] or match[5]
        number = int(NUMBERS.get(count, "2" if count.startswith("a c") else "1" if count in ("a", "an") else count))
        back = (match[3] or "").startswith(("ago", "earlier"))
        length, slack = _STEP[unit]
        middle = said + timedelta(length * number * (-1 if back else 1))
        found.append((middle - timedelta(slack), middle + timedelta(slack)))
    return found


def _nearby(folded: str, said: date) -> list[tuple[date, date]]:
    """ "last week", "next month", "this year", "next summer"."""
    found = []
    for match in _NEARBY.finditer(folded):
        sign = {"last": -1, "past": -1, "this": 0}.get(match[1], 1)
        unit = match[2]
        if unit in ("week", "weekend"):
            monday = said - timedelta(said.weekday()) + timedelta(7 * sign)
            found.append((monday - timedelta(1), monday + timedelta(7)))
        elif unit == "month":
            index = said.year * 12 + said.month - 1 + sign
            year, month = index // 12, index % 12 + 1
            found.append((date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])))
        elif unit == "year":
            found.append((date(said.year + sign, 1, 1), date(said.year + sign, 12, 31)))
        else:
            first, last = _SEASONS[unit]
            for year in (said.year - 1, said.year, said.year + 1):
                found.append((date(year, first, 1), date(year + (last < first), last, 21)))
    return found
