"""The words of a view with their sentences, and phrases found in them: linear, however many phrases there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

T = TypeVar("T")

# Scripts whose writers part no words, or hang their particles on them.
_DENSE = r"\u2e80-\u9fff\uac00-\ud7ff\u1100-\u11ff\u0e00-\u0e7f\u0900-\u097f"
DENSE = re.compile(f"[{_DENSE}]")

# Runs of one kind: `PINは4711` is three words.
_WORD = rf"[{_DENSE}]+|[^\W\d_{_DENSE}]+|\d+"
_PIECE = re.compile(rf"(?P<word>{_WORD})|[.!?;\u2026\u3002\uff01\uff1f]+(?=\s|$)|\n|[\u3002!?](?=[^\x00-\x7f])")
_STEM = 4
# Between two words of one phrase: `api key`, `api-key`, `api_key`, `d'ordine`.
_MAX_GAP = 3


@dataclass(frozen=True)
class Words:
    """Word i is `texts[i]`, stands at `starts[i]:ends[i]` of the text and in sentence `sentences[i]`."""

    original: str
    lower: str
    texts: list[str]
    starts: list[int]
    ends: list[int]
    sentences: list[int]

    def opening(self, i: int) -> int:
        """The first word of the sentence that word i stands in."""
        return self._openings[self.sentences[i]]

    def same(self, i: int, j: int) -> bool:
        """True if j is a word, in the same sentence as i."""
        return 0 <= j < len(self.texts) and self.sentences[i] == self.sentences[j]

    def joined(self, j: int) -> bool:
        """True if word j follows the one before it closely enough to be of one phrase with it."""
        return self.sentences[j] == self.sentences[j - 1] and self.starts[j] - self.ends[j - 1] <= _MAX_GAP

    def capitalised(self, i: int) -> bool:
        """True if the word is written like a name."""
        return self.original[self.starts[i]].isupper()

    @cached_property
    def shouted(self) -> bool:
        """True if capitals tell nothing, because the text has hardly any other letters."""
        return sum(c.isupper() for c in self.original[:400]) > sum(c.islower() for c in self.original[:400])

    @cached_property
    def _openings(self) -> dict[int, int]:
        first: dict[int, int] = {}
        for i, sentence in enumerate(self.sentences):
            first.setdefault(sentence, i)
        return first


def words_of(text: str, lower: str) -> Words:
    """Letters in a row are a word, digits in a row are one; whatever stands between parts them."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    sentences: list[int] = []
    sentence = 0
    for match in _PIECE.finditer(lower):
        if match.lastgroup is None:
            sentence += 1
            continue
        texts.append(match.group())
        starts.append(match.start())
        ends.append(match.end())
        sentences.append(sentence)
    return Words(text, lower, texts, starts, ends, sentences)


class _Node(Generic[T]):
    """One word of a phrase, and what may follow it."""

    __slots__ = ("following", "meanings", "stems")

    def __init__(self) -> None:
        self.following: dict[str, _Node[T]] = {}
        self.stems: dict[str, dict[str, _Node[T]]] = {}
        self.meanings: list[T] = []

    def grown(self, part: str) -> _Node[T]:
        """The node behind one more word; `part` may end in `*`."""
        if not part.endswith("*"):
            return self.following.setdefault(part, _Node())
        stem = part[:-1]
        if len(stem) < _STEM:
            raise ValueError(f'"{part}" is too short a stem.')
        return self.stems.setdefault(stem[:_STEM], {}).setdefault(stem, _Node())

    def after(self, word: str) -> list[_Node[T]]:
        """The nodes that this word leads to."""
        exact = self.following.get(word)
        found = [exact] if exact else []
        if self.stems and (stems := self.stems.get(word[:_STEM])):
            found += [node for stem, node in stems.items() if word.startswith(stem)]
        return found


class Phrases(Generic[T]):
    """Phrases, each with what it means. A word that ends in `*` matches whatever begins so (from four letters).

    Phrases of scripts that part no words, and those that `inside` names, are found inside longer words too.
    """

    def __init__(self, items: Iterable[tuple[str, T]], *, inside: Iterable[tuple[str, T]] = ()) -> None:
        self._root: _Node[T] = _Node()
        self._inside = list(dict.fromkeys(inside))
        for phrase, meaning in dict.fromkeys(items):
            if DENSE.search(phrase):
                self._inside.append((phrase, meaning))
                continue
            node = self._root
            for part in re.findall(rf"(?:{_WORD})\*?", phrase):
                node = node.grown(part)
            if node is not self._root:
                node.meanings.append(meaning)

    def places(self, words: Words) -> Iterator[tuple[int, int, T]]:
        """Where phrases stand in the text, from character to character, each with a meaning."""
        for i, j, meanings in self.hits(words):
            for meaning in meanings:
                yield words.starts[i], words.ends[j - 1], meaning
        for phrase, meaning in self._inside:
            at = words.lower.find(phrase)
            while at >= 0:
                yield at, at + len(phrase), meaning
                at = words.lower.find(phrase, at + len(phrase))

    def hits(self, words: Words) -> Iterator[tuple[int, int, list[T]]]:
        """From word i up to (not with) word j stands a phrase, with all its meanings; the longest one at each place.

        Phrases do not overlap: what a longer one covers is not looked at again.
        """
        texts = words.texts
        following, stems = self._root.following, self._root.stems
        i, count = 0, len(texts)
        while i < count:
            word = texts[i]
            if word not in following and (not stems or word[:_STEM] not in stems):
                i += 1
                continue
            only = following.get(word) if not stems else None
            if only and not only.meanings and (i + 1 >= count or texts[i + 1] not in only.following):
                i += 1  # the commonest case: "a" begins many phrases
                continue
            nodes, j = self._root.after(word), i + 1
            end, meanings = i, []
            while nodes:
                if found := [meaning for node in nodes for meaning in node.meanings]:
                    end, meanings = j, found
                if j >= count or not words.joined(j):
                    break
                nodes = [further for node in nodes for further in node.after(texts[j])]
                j += 1
            if meanings:
                yield i, end, meanings
            i = max(end, i + 1)
