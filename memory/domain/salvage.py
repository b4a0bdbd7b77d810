"""JSON values out of a model's free text: prose around them, bad commas, cut ends and all.

One pass over the text, no recursion: a reply of a megabyte takes time in proportion, and ten thousand
opening brackets are no danger.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import regex

MAX_DEPTH = 64

_START = regex.compile(r"[{\[]")
_SKIP = regex.compile(r"(?:\s++|//[^\n]*+)*+")
_STRING = regex.compile(r'"(?:[^"\\]++|\\.)*+"', regex.DOTALL)
_NUMBER = regex.compile(r"[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?(?![\w.])")
_WORD = regex.compile(r"-?[A-Za-z]++")
_WORDS = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "undefined": None,
    "NaN": math.nan, "nan": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "inf": math.inf,
}  # fmt: skip
_BAD_ESCAPE = regex.compile(r'\\(?:(u[0-9a-fA-F]{4}|["\\/bfnrt])|(.?))', regex.DOTALL)
_ENTRY_END = regex.compile(r"\}\s*(?=[,\]])")


class Broken:
    """Stands in a list for an entry that could not be read."""


BROKEN = Broken()


@dataclass(frozen=True)
class Found:
    """A JSON value and where it stood. `complete` is False where it was cut off or broke off."""

    value: Any
    start: int
    end: int
    complete: bool


@dataclass
class _Open:
    """A container that is still being read; `key` waits for its value."""

    value: dict[str, Any] | list[Any]
    key: str | None = None


class _Unreadable(Exception):
    """What follows is not JSON."""


def values(text: str) -> Iterator[Found]:
    """Every top-level object and array in the text, in order."""
    at, ends = 0, _EntryEnds(text)
    while match := _START.search(text, at):
        found, at = _Reader(text, match.start(), ends).read()
        yield found


class _EntryEnds:
    """Where a broken list entry ends. Remembers that there are no more, so that nobody looks twice."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.none_left = False

    def after(self, at: int) -> int | None:
        match = None if self.none_left else _ENTRY_END.search(self.text, at)
        self.none_left = match is None
        return match.end() if match else None


class _Reader:
    """Reads one value from a place in the text with a stack of its own."""

    def __init__(self, text: str, start: int, ends: _EntryEnds) -> None:
        self.text = text
        self.ends = ends
        self.start = self.at = start
        self.stack: list[_Open] = []
        self.done: Any = None

    def read(self) -> tuple[Found, int]:
        """The value, and where to go on looking: always behind where this one began."""
        self._open(self.text[self.at])
        while self.stack:
            try:
                self._step()
            except _Unreadable:
                if not self._resume_after_broken_entry():
                    return Found(self._close_cut(), self.start, self.at, False), max(self.at, self.start + 1)
        return Found(self.done, self.start, self.at, True), self.at

    def _step(self) -> None:
        self._skip()
        char = self.text[self.at : self.at + 1]
        top = self.stack[-1]
        if char in ("}", "]"):
            self._close(char)
        elif char == ",":
            self.at += 1
            top.key = None
        elif isinstance(top.value, dict) and top.key is None:
            key = self._string() if char == '"' else None
            if key is None:
                raise _Unreadable
            self._skip()
            if self.text[self.at : self.at + 1] != ":":
                raise _Unreadable
            self.at += 1
            top.key = key
        elif char in ("{", "["):
            self._open(char)
        else:
            self._put(self._scalar(char))

    def _skip(self) -> None:
        """Over white space and remarks."""
        if match := _SKIP.match(self.text, self.at):
            self.at = match.end()

    def _open(self, char: str) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise _Unreadable
        self.stack.append(_Open({} if char == "{" else []))
        self.at += 1

    def _close(self, char: str) -> None:
        """Close down to the container that this bracket belongs to; a bracket of nobody is not JSON."""
        kind = dict if char == "}" else list
        if not any(isinstance(opened.value, kind) for opened in self.stack):
            raise _Unreadable
        self.at += 1
        while True:
            closed = self.stack.pop()
            if self.stack:
                self._put(closed.value)
            else:
                self.done = closed.value
            if isinstance(closed.value, kind):
                return

    def _put(self, value: Any) -> None:
        top = self.stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is not None:
            top.value[top.key] = value
            top.key = None

    def _string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:  # no closing quote in all that follows: the text was cut here
            self.at = len(self.text)
            raise _Unreadable
        self.at = match.end()
        try:
            return str(json.loads(match.group(), strict=False))
        except ValueError:
            mended = _BAD_ESCAPE.sub(lambda m: m.group() if m[1] else m[2], match.group()[1:-1])
            return str(json.loads(f'"{mended}"', strict=False))

    def _scalar(self, char: str) -> Any:
        if char == '"':
            return self._string()
        if match := _NUMBER.match(self.text, self.at):
            self.at = match.end()
            return _number(match.group())
        match = _WORD.match(self.text, self.at)
        if match is None or match.group() not in _WORDS:
            raise _Unreadable
        self.at = match.end()
        return _WORDS[match.group()]

    def _resume_after_broken_entry(self) -> bool:
        """Give up the list entry that cannot be read and go on behind it; False where that is not possible."""
        depth = next((i for i in reversed(range(1, len(self.stack))) if self._is_entry(i)), None)
        end = self.ends.after(self.at) if depth is not None else None
        if end is None:
            return False
        del self.stack[depth:]
        self._put(BROKEN)
        self.at = end
        return True

    def _is_entry(self, depth: int) -> bool:
        return isinstance(self.stack[depth].value, dict) and isinstance(self.stack[depth - 1].value, list)

    def _close_cut(self) -> Any:
        """What was complete when the text ended: an unfinished entry of a list is not."""
        while len(self.stack) > 1:
            closed = self.stack.pop()
            if isinstance(self.stack[-1].value, list) and isinstance(closed.value, dict):
                continue
            self._put(closed.value)
        return self.stack[0].value


def _number(written: str) -> int | float | str:
    """The number; one with more digits than anything measures stays a text, so that none is too long to read."""
    if len(written) > 18 and written.lstrip("+-").isdigit():
        return written.lstrip("+")
    return int(written) if written.lstrip("+-").isdigit() else float(written)
