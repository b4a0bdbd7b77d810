"""Names of who speaks, in questions and passages: they say whose words are meant, not what they are about.

"Hey Caroline!" is the nearest neighbour of every question about Caroline, so the names are taken out of both sides
before they are embedded or cut into terms.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

import regex

from memory.domain.lexicon import MONTHS
from memory.domain.term_parts import STOP
from memory.domain.text import DENSE

_UNNAMED = frozenset({"user", "assistant", "system", "human", "ai", "bot", "tool", "developer", "model", ""})
_LEAST = 2  # letters of a name
_MOST = 500  # names that are looked for
_DENSE = regex.compile(rf"[{DENSE}]")


def named(text: str, speakers: Collection[str]) -> frozenset[str]:
    """The speakers whose name, or a part of it, stands in the text."""
    pattern = _pattern(_key(speakers))
    if pattern is None:
        return frozenset()
    found = {match[1].casefold() for match in pattern.finditer(text)}
    return frozenset(speaker for speaker in speakers if not found.isdisjoint(map(str.casefold, _names(speaker))))


def without_names(text: str, speakers: Collection[str]) -> str:
    """The text without the names of speakers; as it is, where nothing else is left."""
    pattern = _pattern(_key(speakers))
    if pattern is None:
        return text
    left = " ".join(pattern.sub(" ", text).split())
    return left if any(map(str.isalnum, left)) else text


def _names(speaker: str) -> list[str]:
    if speaker.casefold() in _UNNAMED:
        return []
    parts = speaker.split()
    whole = [speaker] if len(parts) > 1 else []
    return whole + [part for part in parts if len(part) >= _LEAST and any(map(str.isalpha, part))]


def _key(speakers: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted({name for speaker in speakers for name in _names(speaker)}))[:_MOST]


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> regex.Pattern[str] | None:
    """Names as words of their own, with what makes them a possessive; longer ones first."""
    if not names:
        return None
    found = "|".join(map(_spelling, sorted(names, key=len, reverse=True)))
    return regex.compile(rf"({found})(?:['\u2019]s?(?![\p{{L}}\p{{N}}]))?")


def _spelling(name: str) -> str:
    escaped = regex.escape(name, special_only=True)
    if _DENSE.search(name):  # written without spaces: there are no edges
        return escaped
    lower = name.casefold()
    # "will" and "may" are other words as well.
    loose = escaped if lower in STOP or lower in MONTHS or len(name) <= _LEAST else f"(?i:{escaped})"
    return rf"(?<![\p{{L}}\p{{N}}]){loose}(?![\p{{L}}\p{{N}}])"
