"""The same in Chinese and Japanese, where no spaces part the words: a term, and a person or a verb in its sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .data import table, words
from .view import View
from .words import DENSE

_END = re.compile(r"[\u3002\uff01\uff1f!?;\n]")
_SENTENCE = 60
# A value as short as this is nothing but the term.
_BARE = 14


@dataclass(frozen=True)
class _Dense:
    term: re.Pattern[str]
    kinds: dict[str, str]
    say: frozenset[str]
    around: re.Pattern[str]
    blocked: re.Pattern[str]


def _any(listed: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(listed, key=len, reverse=True))))


@cache
def _dense(name: str) -> _Dense:
    data = table(name)["dense"]
    kinds = {term: kind for kind, listed in data["kinds"].items() for term in words(listed)}
    say = words(data["say"])
    return _Dense(
        _any(frozenset(kinds) | say),
        kinds,
        say,
        _any(words(data["persons"]) | words(data["verbs"])),
        _any(words(data["blockers"])),
    )


def told_densely(seen: View, name: str) -> Iterator[tuple[int, int, str]]:
    """The terms of a file's `dense` part that are told of somebody."""
    if seen.text.isascii() or not DENSE.search(seen.lower):
        return
    dense = _dense(name)
    short = len(seen.lower) - seen.value_from <= _BARE
    for match in dense.term.finditer(seen.lower, seen.value_from):
        start, end = match.span()
        for mark in _END.finditer(seen.lower, max(0, start - _SENTENCE), start):
            start = mark.end()
        start = start if start != match.start() else max(0, start - _SENTENCE)
        closing = _END.search(seen.lower, end, end + _SENTENCE)
        sentence = seen.lower[start : closing.start() if closing else end + _SENTENCE]
        if dense.blocked.search(sentence):
            continue
        if match.group() in dense.say or short or dense.around.search(sentence):
            yield *match.span(), dense.kinds.get(match.group(), name)
