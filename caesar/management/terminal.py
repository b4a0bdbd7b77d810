"""Text on a terminal: nothing in it steers the terminal, it is as wide as it looks, and it can be dimmed."""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from typing import Any

import wcwidth

NOT_UTF8 = "it is not UTF-8"
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
# What turns the direction of all that follows: text could pretend to be another.
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_STEERING = ("Cc", "Cs", "Zl", "Zp")


def harmless(text: str) -> str:
    """The text with what would steer a terminal shown as an escape such as `\\x1b`; newlines and tabs stay.

    Carriage returns go: they would let a line be written over. A text may come in pieces, each by itself.
    """
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char in "\n\t":
        return char
    if char == "\r":
        return ""
    if char in _TURNING or unicodedata.category(char) in _STEERING:
        return char.encode("ascii", "backslashreplace").decode() if ord(char) > 0x7F else f"\\x{ord(char):02x}"
    return char


def cell(text: object) -> str:
    """The same in one line."""
    return harmless(" ".join(str(text).split()))


def wide(text: str) -> int:
    """How many columns it takes."""
    return int(wcwidth.width(text))


def padded(text: str, columns: int) -> str:
    return text + " " * (columns - wide(text))


def cut(text: str, columns: int) -> str:
    """At most so many columns of it, with … where something was cut off; no letter is cut in two."""
    if wide(text) <= columns:
        return text
    kept, used = "", 0
    for letter in wcwidth.iter_graphemes(text):
        used += wide(letter)
        if used >= columns:
            break
        kept += letter
    return kept + "…"


def wrapped(head: str, text: str, columns: int | None) -> str:
    """The text behind a head, its further lines under its first, no wider than `columns` where that is set."""
    if columns is None:
        return head + cell(text)
    room = max(columns - wide(head), 20)
    lines = wcwidth.wrap(cell(text), room) or [""]
    return head + f"\n{' ' * wide(head)}".join(lines)


def columns_of(stream: Any) -> int | None:
    """How wide the terminal behind a stream is; None where there is none, and lines may be as long as they are."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def dimmed(text: str, stream: Any) -> str:
    """Of less weight, on a terminal that can show it."""
    plain = not stream.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain else f"{_DIM}{text}{_PLAIN}"


def text_argument(raw: str) -> str:
    """The type of an argument that is a text. Bytes that are no UTF-8 come in as halves of surrogate pairs."""
    try:
        raw.encode()
    except UnicodeEncodeError:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(NOT_UTF8) from None
    return raw


def piped() -> str | None:
    """All that is piped in, as text; None where a person sits at the terminal. Raises UnicodeDecodeError."""
    if sys.stdin is None:
        return ""
    return None if sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8-sig")
