"""Which format a file has, by what stands in it, and its records one by one."""

from __future__ import annotations

import itertools
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ijson

from memory.errors import InvalidInput
from memory.portable import bounded
from memory.portable.bounded import Bounded
from memory.portable.formats import known, sqlite
from memory.portable.found import Found, Skipped
from memory.portable.kinds import FORMAT
from memory.portable.scratch import scratch

PEEK = 1 << 12
MOST_EVENTS = 5_000  # of JSON that are looked at for a field that tells the format
TEXTS = (".json", ".jsonl", ".ndjson")
DATABASES = (".db", ".sqlite", ".sqlite3")
Opener = Callable[[], AbstractContextManager[Bounded]]


@dataclass(frozen=True)
class Source:
    """A file of a known format. `records` may be called again; of our own format `path` is read elsewhere."""

    format: str
    path: Path
    records: Callable[[], Iterator[Found]]

    @property
    def is_own(self) -> bool:
        return self.format == known.OWN


@contextmanager
def opened(path: Path, *, folder: Path) -> Iterator[Source]:
    """What the file is. `folder` takes what has to be unpacked. Raises InvalidInput for what cannot be read."""
    with path.open("rb") as file:
        head = file.read(PEEK)
    if not head.strip():
        raise InvalidInput("The file is empty.")
    if head.startswith(b"PK"):
        with _unzipped(path, folder) as source:
            yield source
    else:
        yield _plain(path, head)


def _plain(path: Path, head: bytes) -> Source:
    if head.startswith(b"SQLite format 3\0"):
        return _database(path)
    if FORMAT.encode() in head[:200] and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return Source(known.OWN, path, lambda: iter(()))
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        raise InvalidInput(known.WANTED)
    return _json(path, [lambda: _file(path)])


@contextmanager
def _file(path: Path) -> Iterator[Bounded]:
    with path.open("rb") as file:
        if file.read(3) != b"\xef\xbb\xbf":
            file.seek(0)
        yield Bounded(file, bounded.MOST_UNPACKED)


@contextmanager
def _unzipped(path: Path, folder: Path) -> Iterator[Source]:
    """An archive with conversations, in one file or in several; or one that holds a single file of another kind."""
    with path.open("rb") as file, bounded.archive(file) as opened_zip:
        infos = [info for info in opened_zip.infolist() if not info.is_dir() and "__MACOSX" not in info.filename]
        chats = sorted((i for i in infos if _is_chats(Path(i.filename).name)), key=lambda i: i.filename)
        if chats:
            yield _json(path, [_member(opened_zip, info) for info in chats])
            return
        single = [info for info in infos if info.filename.lower().endswith((*TEXTS, *DATABASES))]
        if len(single) != 1:
            raise InvalidInput(
                "The archive holds no conversations.json, and not one file alone that could be imported."
            )
        with scratch(folder, "unpacked") as (inner, out):
            with bounded.member(opened_zip, single[0]) as source:
                while piece := source.read():
                    source.mark()
                    out.write(piece)
            out.flush()
            with inner.open("rb") as unpacked:
                head = unpacked.read(PEEK)
            yield _plain(inner, head)


def _is_chats(name: str) -> bool:
    return name.startswith("conversations") and name.endswith(".json")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Opener:
    return lambda: bounded.member(archive, info)


def _json(path: Path, parts: list[Opener]) -> Source:
    with parts[0]() as file:
        place, field = _recognised(file)
    name, reader = known.RECORDS[field]

    def records() -> Iterator[Found]:
        number = 0
        for part in parts:
            with part() as source:
                for value in bounded.values(source, place):
                    number += 1
                    yield _read(value, number, reader)

    return Source(name, path, records)


def _read(value: Any, number: int, reader: Callable[[dict[str, Any]], Found]) -> Found:
    found = reader(value) if isinstance(value, dict) else Skipped("", "a record that is no object")
    return Skipped(f"record {number}", found.why) if isinstance(found, Skipped) else found


def _recognised(file: Bounded) -> tuple[str, str]:
    """Where the records stand, and the field that tells their format. Raises InvalidInput."""
    place = ""
    with bounded.damage_told():
        events = ijson.parse(bounded.Shallow(file), multiple_values=True)
        for prefix, event, value in itertools.islice(events, MOST_EVENTS):
            if event == "start_array" and prefix in ("", *known.LISTS) and not place:
                place = f"{prefix}.item".lstrip(".")
            elif event == "map_key" and prefix == place and value in known.RECORDS:
                return place, str(value)
    raise InvalidInput(known.WANTED)


def _database(path: Path) -> Source:
    with sqlite.opened(path) as found:
        there = sqlite.tables(found)
    table = next((name for name in known.TABLES if name in there), None)
    if table is None:
        raise InvalidInput(known.WANTED)
    name, reader = known.TABLES[table]

    def records() -> Iterator[Found]:
        with sqlite.opened(path) as database:
            yield from reader(database)

    return Source(name, path, records)
