"""A message of the person, made ready for looking things up in it: own words only, folded, cut into tokens."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import regex

from .denial import Span, sentences
from .text import Token, fold, spans
from .thirdparty import own_words
from .words import is_negation, root, same_word

_GAP = regex.compile(r"\s++")
_BULLET = regex.compile(r"[-*\u2022]|\d{1,2}[.)]")


@dataclass(frozen=True)
class Said:
    """One message: `text` folded, `at` back to the original's offsets, its sentences and where its words stand."""

    text: str
    at: tuple[int, ...]
    sentences: tuple[Span, ...]
    words: Mapping[str, tuple[Token, ...]]
    roots: Mapping[str, tuple[str, ...]]

    @property
    def denies(self) -> bool:
        return any(is_negation(word) for word in self.words)

    def sentence_at(self, place: int) -> int:
        """The index of the sentence in which a place lies (the last one before it, between two)."""
        return max(0, bisect_right(self.sentences, place, key=lambda span: span[0]) - 1)

    def offset(self, place: int) -> int:
        """The offset in the original text."""
        return self.at[min(place, len(self.at) - 1)] if self.at else 0

    def like(self, word: str) -> Iterator[Token]:
        """Where the word stands, in this or another form."""
        near = [w for w in self.words if is_negation(w)] if is_negation(word) else self.roots.get(root(word), ())
        for other in near:
            if same_word(word, other):
                yield from self.words[other]


@lru_cache(maxsize=64)
def said(text: str, document: bool = False) -> Said:
    """The message, or the part of a document, made ready. Cached: all proposals of a chat look at the same few."""
    own = own_words(text, asks=not document)
    folded = fold(own)
    breaks, at = [], 0
    for gap in _GAP.finditer(own):
        lines = gap.group().count("\n")
        if lines > 1 or (lines and _BULLET.match(own, gap.end())):
            while at < len(folded.at) and folded.at[at] < gap.start():
                at += 1
            breaks.append(at)
    words: dict[str, list[Token]] = defaultdict(list)
    for token in spans(folded.text):
        words[token.text].append(token)
    roots: dict[str, list[str]] = defaultdict(list)
    for word in words:
        roots[root(word)].append(word)
    return Said(
        text=folded.text,
        at=folded.at,
        sentences=tuple(sentences(folded.text, breaks)),
        words={word: tuple(places) for word, places in words.items()},
        roots={start: tuple(near) for start, near in roots.items()},
    )
