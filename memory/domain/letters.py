"""Letters as search compares them, script by script: two ways to write the same word become one."""

from __future__ import annotations

import itertools
import unicodedata

import regex

from .text import DENSE

# Marks that a reader leaves out: accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowels and hamza, the
# Devanagari nukta. Those of other scripts are part of the word.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u093c\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
_LEFT_OUT = regex.compile(
    rf"[{_MARKS}\u0640\p{{Cc}}\p{{Cs}}\p{{Cf}}--[\u200d]]|[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]", regex.V1
)
_DASH = regex.compile(r"[\p{Pd}\u2212\u30fb\u00b7]")
_PILE = regex.compile(r"(\p{M}{32})\p{M}++")  # putting marks into their order takes the square of their number
_ALIKE = str.maketrans(
    {
        "đ": "d", "ð": "d", "ø": "o", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th",
        "\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643", "\u0629": "\u0647", "\u0671": "\u0627",
        "\u0901": "\u0902",
        "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u2032": "'", "`": "'", "\u00b4": "'", "\u2044": "/",
    }
)  # fmt: skip
_ARTICLE = regex.compile(r"^(?:[\u0648\u0641\u0628\u0643]?\u0627\u0644|\u0644\u0644)(?=\p{Arabic}{3})")
_ARABIC = regex.compile(r"\p{Arabic}")
# One sign for a reader is one here as well: vowels and tones stand over, under and beside their consonant.
_CLUSTERED = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_ALONE = regex.compile(r"[\p{Han}\p{Hangul}]")  # scripts in which one character is often a word
_RUN = regex.compile(rf"(?:[{DENSE}]\p{{M}}*+)++")


def plain(text: str) -> str:
    """The text with one spelling for what readers take for the same; capitals stay, they part words.

    Compatibility forms, accents, vowel points, invisible characters, dashes, quotes and skin tones are evened out.
    """
    if text.isascii() and text.isprintable():
        return text.replace("`", "'")
    text = unicodedata.normalize("NFKD", _PILE.sub(r"\1", text)).translate(_ALIKE)
    text = _DASH.sub("-", _LEFT_OUT.sub("", text))
    text = unicodedata.normalize("NFC", text)
    return "".join(map(_figure, text)) if any(char.isdecimal() and not char.isascii() for char in text) else text


def small(word: str) -> str:
    """A plain word in small letters, without the Arabic article."""
    if word.isascii():
        return word.lower()
    word = _LEFT_OUT.sub("", unicodedata.normalize("NFKD", word.casefold()).translate(_ALIKE))
    word = unicodedata.normalize("NFC", word)
    return _ARTICLE.sub("", word) if _ARABIC.match(word) else word


def pairs(run: str, *, alone: bool) -> list[str]:
    """Overlapping pairs of characters from a run that is written without spaces; one that stands alone as it is.

    alone: also each Han or Hangul character by itself, which lets a question of one character find it.
    """
    signs = regex.findall(r"\X", run) if _CLUSTERED.search(run) else list(run)
    if len(signs) < 2:
        return signs
    found = [one + other for one, other in itertools.pairwise(signs)]
    return found + [sign for sign in signs if _ALONE.match(sign)] if alone else found


def _figure(char: str) -> str:
    return str(unicodedata.decimal(char)) if char.isdecimal() else char
