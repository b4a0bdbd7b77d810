"""The times that a question names, and how well the time at which something was said fits them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import regex
from numpy.typing import NDArray

from memory.domain.lexicon import NUMBERS
from memory.domain.relative import has_relative_time
from memory.domain.temporal import mentioned
from memory.domain.text import normalise

_LONGEST_TEXT = 2_000  # characters of a question in which times are looked for
_MOST = 40
_YEAR = regex.compile(r"(?<![\d.,:-])((?:19|20)\d{2})(?![\d:-]|[.,]\d)")
_YEARS_AGO = regex.compile(rf"\b(?:last year|(\d{{1,2}}|an?|{'|'.join(NUMBERS)}) years? ago)\b")
# Other words as well, when they stand alone.
_NOT_DAYS = regex.compile(r"\b(?:sun|sat|mon|wed|thu|fri|tue)\b")
_FRENCH_YESTERDAY = regex.compile(r"\bhier\b")
_EXACT_DAYS = 10  # a period up to this length is told from the days around it
_SLACK = 1  # days on either side: zones differ, and nights are long
_LATER = 14  # days in which something is told after it happened
_PARTLY = 0.5


@dataclass(frozen=True)
class Period:
    """From one day to another, both included."""

    first: date
    last: date

    @property
    def is_exact(self) -> bool:
        return (self.last - self.first).days < _EXACT_DAYS


def periods(text: str, today: date) -> tuple[Period, ...]:
    """The periods that a question asked on the day `today` names: "on 7 May 2023", "in June", "two weeks ago"."""
    folded = _NOT_DAYS.sub(" ", normalise(text[:_LONGEST_TEXT]))
    if _FRENCH_YESTERDAY.search(folded) and not has_relative_time(text[:_LONGEST_TEXT]):
        folded = _FRENCH_YESTERDAY.sub(" ", folded)  # German and Dutch "here"
    found = [Period(first, last) for first, last in mentioned(folded, today, today.year)]
    found += map(_whole_year, (today.year - _count(match[1]) for match in _YEARS_AGO.finditer(folded)))
    return tuple(dict.fromkeys(found or (_whole_year(int(year)) for year in _YEAR.findall(folded))))[:_MOST]


def _whole_year(year: int) -> Period:
    return Period(date(year, 1, 1), date(year, 12, 31))


def _count(written: str | None) -> int:
    return int(NUMBERS.get(written or "one", written if written and written.isdigit() else 1))


def fits(named: Sequence[Period], days: NDArray[np.int64]) -> NDArray[np.float32]:
    """How well each day fits a period that is named, 0 to 1; `days` as ordinals, in the zone of the person.

    1 on days that are named, a half in a month or a year and in the two weeks after a day.
    """
    fit = np.zeros(len(days), np.float32)
    for period in named:
        slack, later = (_SLACK, _LATER) if period.is_exact else (0, 0)
        first, last = period.first.toordinal() - slack, period.last.toordinal() + slack
        since = days >= first
        fit = np.maximum(fit, np.where(since & (days <= last), 1.0 if period.is_exact else _PARTLY, 0.0))
        fit = np.maximum(fit, np.where(since & (days <= last + later), _PARTLY, 0.0) if later else fit)
    return fit.astype(np.float32)
