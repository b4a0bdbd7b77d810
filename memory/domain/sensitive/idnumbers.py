"""Numbers by which states know people: by form, check digit and the word beside them (see government_ids.yaml)."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from .data import phrases, table
from .types import SensitiveClass
from .view import View
from .words import DENSE, Phrases

Raw = tuple[SensitiveClass, int, int, str]

# How far from its word a number may stand, in characters.
_BEFORE, _AFTER = 30, 60
_EDGES = r"(?<![0-9A-Za-z+])(?<![0-9][.,])(?:{})(?![0-9A-Za-z])(?![.,-]\d)"
_HINTS = "hints"

_FILLERS = r"""
    [\s:=#.(/"'-]{0,4}
    (?:(?:number|no|nr|num|id|code|card|is|was|ist|lautet|est|es|on|ar|numero|nummer|номер|が|は|是|为|号|番号)
       [\s:.#"'(]{1,3} | [がはのは是为号番]{1,2}){0,4}
"""
_CALLED = re.compile(_FILLERS, re.VERBOSE)
_LABELLED = re.compile(
    _FILLERS
    + r"""
    (?P<id>(?=[0-9A-Za-z]*\d)[0-9A-Za-z]{1,20}(?:[ -][0-9A-Za-z]*\d[0-9A-Za-z]{2,}){0,4})(?![0-9A-Za-z]|[.,/:]\d)
    """,
    re.VERBOSE,
)
_DATE = re.compile(r"(?:19|20)\d{2}[ -]?[01]\d[ -]?[0-3]\d|[0-3]\d[ -]?[01]\d[ -]?(?:19|20)\d{2}")


@dataclass(frozen=True)
class IdFormat:
    """One state's number. `alone` needs no word near it."""

    kind: str
    check: str | None
    pattern: re.Pattern[str]
    alone: re.Pattern[str] | None
    hint: bool

    def valid(self, text: str) -> bool:
        """True if the check digits (and whatever else is known of the number) are right."""
        if self.check is None:
            return True
        check = _checker(self.check)
        return bool(check.is_valid(text.upper()) or check.is_valid(re.sub(r"[^0-9A-Z]", "", text.upper())))


@cache
def _checker(name: str) -> Any:
    return importlib.import_module(f"stdnum.{name}")


@cache
def id_formats() -> tuple[IdFormat, ...]:
    """The table, compiled."""
    return tuple(
        IdFormat(
            kind=row["kind"],
            check=row.get("check"),
            pattern=_compiled(row["pattern"], re.IGNORECASE),
            alone=_compiled(row["alone"]) if "alone" in row else None,
            hint=row.get("hint", False),
        )
        for row in table("government_ids")["formats"]
    )


@cache
def _by_kind() -> dict[str, IdFormat]:
    return {form.kind: form for form in id_formats()}


@cache
def _announcing() -> Phrases[tuple[str, str]]:
    data = table("government_ids")
    items = [(phrase, ("format", row["kind"])) for row in data["formats"] for phrase in phrases(row["words"])]
    items += [(phrase, ("label", kind)) for kind, listed in data["labels"].items() for phrase in phrases(listed)]
    items += [(phrase, ("format", _HINTS)) for phrase in phrases(data["hints"])]
    return Phrases(items)


@cache
def _exact() -> tuple[tuple[str, str], ...]:
    return tuple((row["exact"], row["kind"]) for row in table("government_ids")["formats"] if "exact" in row)


def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(_EDGES.format(pattern), re.ASCII | flags)


def government_ids(seen: View) -> Iterator[Raw]:
    """Every id that its form, or a word near it, gives away."""
    near: dict[str, list[tuple[int, int]]] = {}
    for start, end, (what, kind) in _announcing().places(seen.words):
        if what == "label":
            if found := _labelled(seen, end):
                yield SensitiveClass.GOVERNMENT_ID, *found, kind
        else:
            _widen(near.setdefault(kind, []), start, end)
            if kind != _HINTS and (found := _called(seen, end, kind)):
                yield SensitiveClass.GOVERNMENT_ID, *found, kind
    for word, kind in _exact():
        for match in re.finditer(re.escape(word), seen.text):
            _widen(near.setdefault(kind, []), *match.span())
    digits = any(c.isdigit() for c in seen.text)
    for form in id_formats() if digits else ():
        for start, end in near.get(form.kind, ()):
            yield from _matching(form, form.pattern, seen, start, end)
        if form.hint:
            for start, end in near.get(_HINTS, ()):
                yield from _matching(form, form.pattern, seen, start, end)
        if form.alone:
            yield from _matching(form, form.alone, seen, 0, len(seen.text))


def _widen(stretches: list[tuple[int, int]], start: int, end: int) -> None:
    """Notes the surroundings of a word; what overlaps becomes one, so that no place is searched twice."""
    start, end = max(0, start - _BEFORE), end + _AFTER
    if stretches and start <= stretches[-1][1] and start >= stretches[-1][0]:
        stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
    else:
        stretches.append((start, end))


def _matching(form: IdFormat, pattern: re.Pattern[str], seen: View, start: int, end: int) -> Iterator[Raw]:
    for match in pattern.finditer(seen.text, start, end):
        cut = match.end() == end and seen.text[end : end + 1].isalnum()
        if not cut and form.valid(match.group()):
            yield SensitiveClass.GOVERNMENT_ID, *match.span(), form.kind


def _called(seen: View, end: int, kind: str) -> tuple[int, int] | None:
    """A number that is called so outright is one even with a wrong digit in it."""
    lead = _CALLED.match(seen.lower, end)
    match = _by_kind()[kind].pattern.match(seen.text, lead.end()) if lead and lead.end() > end else None
    return match.span() if match else None


def _labelled(seen: View, end: int) -> tuple[int, int] | None:
    match = _LABELLED.match(seen.lower, end)
    if match is None or (match.start("id") == end and not DENSE.match(seen.lower, end - 1)):
        return None
    text = re.sub(r"[ -]", "", match["id"])
    digits = sum(c.isdigit() for c in text)
    if not 6 <= len(text) <= 20 or digits < 4 or digits * 2 < len(text) - 4 or _DATE.fullmatch(match["id"]):
        return None
    return match.span("id")
