"""Files that strangers made, read in bounded pieces: archives that unpack to very much, values without an end."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import ijson

from memory.errors import InvalidInput

MOST_UNPACKED = 8_000_000_000  # bytes
MOST_RATIO = 200  # text shrinks to a tenth or so, hardly ever to a two-hundredth
RATIO_FROM = 50_000_000  # bytes from which the ratio counts
MOST_MEMBERS = 200_000
MOST_DEPTH = 200
MOST_VALUE = 128_000_000  # bytes of one conversation
PIECE = 1 << 16
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_BRACKETS = re.compile(rb"[\[\]{}]")


class Bounded:
    """Reads on, but no more than `most` bytes in all, and no more than MOST_VALUE between two marks."""

    def __init__(self, source: IO[bytes], most: int) -> None:
        self._source = source
        self._most = most
        self._read = 0
        self._marked = 0

    def mark(self) -> None:
        """A value has ended here."""
        self._marked = self._read

    def read(self, size: int = -1) -> bytes:
        piece = self._source.read(PIECE if size < 0 else min(size, PIECE))
        self._read += len(piece)
        if self._read > self._most:
            raise InvalidInput("The archive unpacks to far more than a real one does: nothing of it is read.")
        if self._read - self._marked > MOST_VALUE:
            raise InvalidInput(f"One record of the file is larger than {MOST_VALUE // 1_000_000} MB.")
        return piece


def depth(text: bytes) -> int:
    """How deep a whole JSON text is nested."""
    deepest = here = 0
    for sign in _BRACKETS.findall(_STRING.sub(b"", text)):
        here += 1 if sign in b"[{" else -1
        deepest = max(deepest, here)
    return deepest


class Shallow:
    """JSON that is nested no deeper than MOST_DEPTH: what reads it remembers the way to where it is."""

    def __init__(self, source: Bounded) -> None:
        self._source = source
        self._depth = 0
        self._inside = False  # a string that began in an earlier piece

    def read(self, size: int = -1) -> bytes:
        piece = self._source.read(size)
        if size != 0 and piece:
            # A piece never ends between a backslash and what it escapes.
            while piece.endswith(b"\\") and (more := self._source.read(1)):
                piece += more
            self._look(piece)
        return piece

    def _look(self, piece: bytes) -> None:
        text = b'"' + piece if self._inside else piece
        bare = _STRING.sub(b"", text)
        before, quote, _ = bare.partition(b'"')
        self._inside = bool(quote)
        for sign in _BRACKETS.findall(before):
            self._depth += 1 if sign in b"[{" else -1
            if self._depth > MOST_DEPTH:
                raise InvalidInput(f"The file is nested deeper than {MOST_DEPTH} levels.")


def archive(file: IO[bytes]) -> zipfile.ZipFile:
    """Raises InvalidInput where it is none, or one with very many members."""
    try:
        found = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError):
        raise InvalidInput("The file is a damaged or cut off ZIP archive.") from None
    if len(found.infolist()) > MOST_MEMBERS:
        raise InvalidInput(f"The archive has more than {MOST_MEMBERS:,} files.")
    return found


@contextmanager
def member(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[Bounded]:
    """One file of an archive. Raises InvalidInput where it is encrypted, damaged or unpacks to very much."""
    if info.flag_bits & 1:
        raise InvalidInput("The archive is encrypted: unpack it first.")
    most = min(MOST_UNPACKED, max(RATIO_FROM, info.compress_size * MOST_RATIO))
    if info.file_size > most:
        raise InvalidInput("The archive unpacks to far more than a real one does: nothing of it is read.")
    with damage_told(), opened.open(info) as source:
        yield Bounded(source, most)


@contextmanager
def damage_told() -> Iterator[None]:
    """What archives and JSON are wrong with, in a sentence that repeats nothing of them."""
    try:
        yield
    except (ijson.JSONError, ValueError):
        raise InvalidInput("The file is cut off, or is no valid JSON in UTF-8.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise InvalidInput("The file is a damaged or cut off ZIP archive.") from None


def values(source: Bounded, place: str) -> Iterator[Any]:
    """The JSON values at a place of the file (ijson's prefix), one by one, each of bounded size."""
    with damage_told():
        for value in ijson.items(Shallow(source), place, use_float=True, multiple_values=True):
            source.mark()
            yield value
