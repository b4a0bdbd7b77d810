"""Words as search compares them."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable

import regex

_TOKEN = regex.compile(r"[\p{L}\p{N}]+")


def tokens(text: str) -> list[str]:
    """The words of a text, with repeats."""
    return _TOKEN.findall(text.casefold())


def term_ids(profile_id: uuid.UUID, words: Iterable[str]) -> list[int]:
    """The distinct words as signed 64-bit numbers that mean something inside this profile alone."""
    return [
        int.from_bytes(hashlib.blake2b(w.encode(), digest_size=8, key=profile_id.bytes).digest(), "big", signed=True)
        for w in dict.fromkeys(words)
    ]
