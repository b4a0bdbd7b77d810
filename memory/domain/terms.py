"""Words as search compares them, in any script.

A text becomes terms: stems of words, figures, identifiers whole and in parts, pairs of characters where a script has
no spaces, emoji. Where two texts share a term, one can be found by the other.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from functools import lru_cache

import regex

from .term_parts import STOP, parts, stem
from .text import DENSE

_STOPS = STOP | {stem(word) for word in STOP}
_GROUPS = regex.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))")  # "1 200" with a space that does not break
_CACHED = 32  # characters of a chunk that is worth remembering
_MOST_WRITTEN = 64  # characters of a word that is shown
# As they stand in a text: words with what joins them, such as an apostrophe or the hyphens of an identifier.
_WRITTEN = regex.compile(r"[\p{L}\p{M}\p{N}]++(?:[-_./@:'\u2019]++[\p{L}\p{M}\p{N}]++)*+(?:\+\+|\#)?+")
_DENSE = regex.compile(rf"[{DENSE}]")
_SPECIFIC = regex.compile(r"[._@+#/]|\d.*[\d\p{L}]|\p{L}.*\d")


def tokens(text: str) -> list[str]:
    """The terms of a text that shall be found, in order and with repeats; English small words only if all are."""
    return _terms(text, alone=True)


def query_tokens(text: str) -> list[str]:
    """The terms of a text that asks, in order and with repeats; English small words only if all are.

    Differs from `tokens` in scripts without spaces: a single character is a term only where it stands alone.
    """
    return _terms(text, alone=False)


def is_specific(token: str) -> bool:
    """Whether a term names one thing exactly: an identifier, a file, an address or a figure of two digits or more."""
    return _SPECIFIC.search(token) is not None


def as_written(text: str) -> dict[str, str]:
    """For each term of a text that asks, the word that it was made from, as it stands there first: bean from Beans.

    A term of a script without spaces stands for itself.
    """
    written: dict[str, str] = {}
    for chunk in text.split():
        for word in _WRITTEN.findall(chunk) or [chunk]:
            for term in _of(word, alone=False):
                written.setdefault(term, term if _DENSE.search(term) else word[:_MOST_WRITTEN])
    return written


def term_ids(profile_id: uuid.UUID, words: Iterable[str]) -> list[int]:
    """The distinct words, in order, as signed 64-bit numbers that mean something inside this profile alone."""
    keyed = hashlib.blake2b(digest_size=8, key=profile_id.bytes)
    return [_number(keyed, word) for word in dict.fromkeys(words)]


def _number(keyed: hashlib.blake2b, word: str) -> int:
    own = keyed.copy()
    own.update(word.encode("utf-8", "surrogatepass"))
    return int.from_bytes(own.digest(), "big", signed=True)


def _terms(text: str, *, alone: bool) -> list[str]:
    if not text.isascii():
        text = _GROUPS.sub("", text)
    chunks = text.split()
    found = [term for chunk in chunks for term in _of(chunk, alone)]
    return [term for term in found if term not in _STOPS] or found


def _of(chunk: str, alone: bool) -> Sequence[str]:
    return _remembered(chunk, alone) if len(chunk) <= _CACHED else list(parts(chunk, alone=alone))


@lru_cache(maxsize=32_768)
def _remembered(chunk: str, alone: bool) -> tuple[str, ...]:
    return tuple(parts(chunk, alone=alone))
