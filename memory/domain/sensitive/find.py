"""Everything sensitive in a text, each place once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from .banking import accounts
from .cards import cards
from .formats import known_formats
from .idnumbers import government_ids
from .keynames import key_says
from .passwords import announced
from .told import health, personal
from .types import ALL, Finding, SensitiveClass
from .view import View, view

Raw = tuple[SensitiveClass, int, int, str]

_DETECTORS: dict[SensitiveClass, tuple[Callable[[View], Iterator[Raw]], ...]] = {
    SensitiveClass.CREDENTIAL: (known_formats, announced),
    SensitiveClass.PAYMENT: (cards, accounts),
    SensitiveClass.GOVERNMENT_ID: (government_ids,),
    SensitiveClass.HEALTH: (health,),
    SensitiveClass.SENSITIVE_PERSONAL: (personal,),
}


def find(text: str, *, key: str | None = None, classes: Collection[SensitiveClass] = ALL) -> tuple[Finding, ...]:
    """What of these classes stands in the text, in order of place; offsets are the original text's.

    key: the fact's, if the text is a fact's value. It can tell alone what the value is (`db_password`), and its
    words count as standing before the value (`pin`, "4711").
    """
    if not text.strip():
        return ()
    seen = view(text, key=key)
    raw = [found for cls in SensitiveClass if cls in classes for detect in _DETECTORS[cls] for found in detect(seen)]
    places = [Finding(cls, *place, kind) for cls, start, end, kind in raw if (place := seen.place(start, end))]
    if key:
        places += [Finding(cls, 0, len(text), kind) for cls, kind in key_says(key, text) if cls in classes]
    return _once(places)


def _once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Without what another finding of the same class covers or touches: those two become one."""
    merged: list[Finding] = []
    last: dict[SensitiveClass, int] = {}
    for found in sorted(findings, key=lambda f: (f.start, -f.end, f.cls.rank)):
        index = last.get(found.cls)
        if index is not None and found.start < merged[index].end:
            before = merged[index]
            merged[index] = Finding(before.cls, before.start, max(before.end, found.end), before.kind)
        else:
            last[found.cls] = len(merged)
            merged.append(found)
    return tuple(merged)
