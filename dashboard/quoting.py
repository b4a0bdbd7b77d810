"""Finds the words that taught something in what was said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memory.domain.text import fold, normalise


class Piece(NamedTuple):
    """A part of a text; `quoted` where something was learned from it, `first` where the page should begin."""

    text: str
    quoted: bool = False
    first: bool = False


def pieces(text: str, quotes: Iterable[str]) -> list[Piece]:
    """The text cut where quotes begin and end. White space and spelling of quotation marks need not agree."""
    wanted = {normalise(quote) for quote in quotes} - {""}
    if not wanted or not text:
        return [Piece(text)]
    folded = fold(text)
    spans = []
    for quote in wanted:
        start = folded.text.find(quote)
        if start >= 0:
            end = start + len(quote)
            spans.append((folded.at[start], folded.at[end] if end < len(folded.at) else len(text)))
    found, at = [], 0
    for start, end in _merged(spans):
        # What follows a quote up to the next character that counts, such as a space, is none of it.
        stop = start + len(text[start:end].rstrip())
        if start > at:
            found.append(Piece(text[at:start]))
        found.append(Piece(text[start:stop], quoted=True))
        at = stop
    if at < len(text):
        found.append(Piece(text[at:]))
    return found or [Piece(text)]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
