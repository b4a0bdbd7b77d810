"""Whether a text says a value."""

from __future__ import annotations

from .terms import is_specific, tokens
from .text import normalise

ENOUGH = 0.6


def states(text: str, value: str, quote: str = "") -> bool:
    """Whether the text holds the quote, or most words of the value and each of its ids and figures."""
    if quote and normalise(quote) in normalise(text):
        return True
    wanted = set(tokens(value))
    if not wanted:
        return False
    there = wanted & set(tokens(text))
    return len(there) >= ENOUGH * len(wanted) and all(word in there for word in wanted if is_specific(word))
