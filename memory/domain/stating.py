"""Whether a text says a value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import regex

from .term_parts import STOP
from .terms import is_specific, tokens
from .text import DENSE, normalise
from .text import tokens as text_tokens

ENOUGH = 0.6
MOST_UNITS = 10  # words, or characters of a script without spaces, of a value that is looked for in a text
LEAST_WORDS = 2  # of a value that is known again wherever it stands
_UNIT = regex.compile(rf"[{DENSE}]|[^\s{DENSE}]+")


def states(text: str, value: str, quote: str = "") -> bool:
    """Whether the text holds the quote, or most words of the value and each of its ids and figures."""
    if quote and normalise(quote) in normalise(text):
        return True
    wanted = _words(value)
    if not wanted:
        return False
    there = wanted & _words(text)
    return len(there) >= ENOUGH * len(wanted) and all(word in there for word in wanted if is_specific(word))


def states_by_itself(text: str, value: str, quote: str = "") -> bool:
    """The same of a text from a chat that did not teach the value: it holds the quote, or all words of a telling value.

    "Black" may be anything.
    """
    if quote and normalise(quote) in normalise(text):
        return True
    return telling(value) and _words(value) <= _words(text)


def echoes(text: str, value: str, quote: str = "") -> bool:
    """The same of a text from a chat that was given the value: a name is also known again by its spelling.

    "Lyon" is one there, "black" may still be anything.
    """
    return states_by_itself(text, value, quote) or (
        value[:1].isupper()
        and regex.search(rf"(?<!\w){regex.escape(value, special_only=True)}(?!\w)", text) is not None
    )


def telling(value: str) -> bool:
    """Whether a value is known again wherever it stands: two words, an id or a figure."""
    words = set(text_tokens(value)) - STOP
    return len(words) >= LEAST_WORDS or any(map(is_specific, _words(value)))


def spans(text: str) -> Iterator[str]:
    """All runs of up to ten words of the text, each of which may be a value."""
    units = list(_UNIT.finditer(text))
    for begin, first in enumerate(units):
        for last in units[begin : begin + MOST_UNITS]:
            yield text[first.start() : last.end()]


@lru_cache(maxsize=512)
def _words(text: str) -> frozenset[str]:
    return frozenset(tokens(text))
