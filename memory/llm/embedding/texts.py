"""Texts as they are given to a model."""

from __future__ import annotations

import unicodedata

# Models read no more than their own limit, most far less than this; what is longer is cut before it costs anything.
MOST_CHARACTERS = 4000


def document(text: str) -> str:
    """Cut to the first 4,000 characters, without what has no place in any encoding. May be blank."""
    return _encodable(text).strip()[:MOST_CHARACTERS]


def query(text: str) -> str:
    """The same, and one spelling for questions that differ in spaces or in how accents are encoded alone."""
    spaced = " ".join(_encodable(text[: 4 * MOST_CHARACTERS]).split())
    return unicodedata.normalize("NFC", spaced)[:MOST_CHARACTERS]


def _encodable(text: str) -> str:
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
