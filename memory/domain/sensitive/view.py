"""A text as the detectors see it: case kept, tricks undone, every character with its place in the original."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

import regex

from .words import Words, words_of

# A place that was redacted before: nothing is found in it, and its words lend no context to their neighbours.
MARKER = regex.compile(r"\[redacted: (?:credential|payment|government_id|health|sensitive_personal)\]")
GAP = "\ufffc"

_CAMEL = regex.compile(r"(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})")
_BETWEEN = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_PLAIN = regex.compile(r"[\t\n\x20-\x5f\x61-\x7e]*+")
_SINGLE_QUOTES = frozenset("`\u00b4\u2018\u2019\u201a\u201b\u2032\u02bc\u2039\u203a\uff07")
_DOUBLE_QUOTES = frozenset("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02")
# Invisible, though Unicode calls some of them letters.
_INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5")
_VOICED = frozenset("\u3099\u309a")
_LINE_ENDS = frozenset("\n\r\u0085\u2028\u2029\x0b\x0c")


@dataclass(frozen=True)
class View:
    """`text` keeps the case, `lower` is as long and has none; `starts` and `ends` lead back to the original.

    NFKC without diacritics; digits of every script are 0 to 9; invisible and control characters are out;
    quotes, dashes and spaces are unified, lines stay lines. `value_from` is where the fact's value begins
    when its key was put in front.
    """

    text: str
    lower: str
    starts: list[int] | range
    ends: list[int] | range
    value_from: int = 0

    @cached_property
    def words(self) -> Words:
        """The text's words, found once for all who look for some."""
        return words_of(self.text, self.lower)

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """The span in the original; None where it lies in the key that was put in front."""
        if start < self.value_from or end <= start:
            return None
        return self.starts[start], self.ends[end - 1]


def view(text: str, *, key: str | None = None) -> View:
    """The text to look into. A key's words stand before the value, so that they are context: `pin: 4711`."""
    front = f"{key_words(key)}: " if key else ""
    if _PLAIN.fullmatch(text) and front.isascii():
        seen = _blank(front + text)
        places = range(-len(front), len(text))
        return View(seen, seen.lower(), places, range(1 - len(front), len(text) + 1), len(front))
    out: list[str] = [*front]
    starts: list[int] = [-1] * len(out)
    ends: list[int] = [-1] * len(out)
    for at, char in enumerate(text):
        for folded in _fold(char):
            if folded in _VOICED and out:
                out[-1] = _voiced(out[-1], folded)
                ends[-1] = at + 1
            else:
                out.append(folded)
                starts.append(at)
                ends.append(at + 1)
    seen = _blank("".join(out))
    return View(seen, _lowered(seen), starts, ends, len(front))


def key_words(key: str) -> str:
    """A key as words: `db_password` is "db password", `wifi.passwordHint` is "wifi password Hint"."""
    apart = _CAMEL.sub(" ", key)
    return " ".join(_BETWEEN.sub(" ", view(apart).text).split())


def plain(text: str) -> str:
    """The form in which words are compared with `View.lower`."""
    return view(text).lower


def _blank(text: str) -> str:
    if "[redacted: " not in text:
        return text
    return MARKER.sub(lambda match: GAP * len(match.group()), text)


def _lowered(text: str) -> str:
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(low if len(low := c.lower()) == 1 else c for c in text)


def _voiced(kana: str, mark: str) -> str:
    return unicodedata.normalize("NFC", kana + mark)[0]


@lru_cache(maxsize=65536)
def _fold(char: str) -> str:
    return "".join(map(_fold_part, unicodedata.normalize("NFKD", char))) if char not in _LINE_ENDS else "\n"


def _fold_part(char: str) -> str:
    if "\x20" <= char <= "\x7e":
        return "'" if char == "`" else char
    if char == "\t":
        return " "
    if char in _SINGLE_QUOTES:
        return "'"
    if char in _DOUBLE_QUOTES:
        return '"'
    if char in _INVISIBLE or "\u0300" <= char <= "\u036f":
        return ""
    category = unicodedata.category(char)
    if category in ("Cf", "Cc", "Cs", "Me") or (category == "Mn" and char not in _VOICED and _is_selector(char)):
        return ""
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category == "Pd" or char == "\u2212":
        return "-"
    if char in ("\u00df", "\u1e9e"):
        return "ss"
    return " " if category in ("Zs", "Zl", "Zp") or char == "\u2800" else char


def _is_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
