"""Files that strangers made, read in bounded pieces: archives that unpack to very much, values without an end."""

from __future__ import annotations

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
MOST_VALUE = 256_000_000  # bytes of one conversation
PIECE = 1 << 16


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
    """What archives and JSON are wrong with, in a sentence."""
    try:
        yield
    except ijson.IncompleteJSONError as error:
        raise InvalidInput(_json_says(error, "The file is cut off, or no JSON")) from None
    except (ijson.JSONError, UnicodeDecodeError, ValueError) as error:
        raise InvalidInput(_json_says(error, "The file is no valid JSON")) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise InvalidInput("The file is a damaged or cut off ZIP archive.") from None


def _json_says(error: Exception, what: str) -> str:
    """Only the first line: the others repeat the file."""
    told = str(error).splitlines()
    return f"{what}: {told[0][:100].strip()}." if told and isinstance(error, ijson.JSONError) else f"{what}."


def values(source: Bounded, place: str) -> Iterator[Any]:
    """The JSON values at a place of the file (ijson's prefix), one by one, each of bounded size."""
    with damage_told():
        for value in ijson.items(source, place, use_float=True, multiple_values=True):
            source.mark()
            yield value
