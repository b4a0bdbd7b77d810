"""What the rows of a file are here: on disk, so that a file may be of any size."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

AT_ONCE = 500


class Places:
    """Numbers of chats and ids of facts of a file -> those that they have here, in a file of its own."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("CREATE TABLE chat (there INTEGER PRIMARY KEY, here INTEGER)")
        self._db.execute("CREATE TABLE fact (there BLOB PRIMARY KEY, here BLOB) WITHOUT ROWID")
        self._db.execute("CREATE TABLE successor (fact BLOB PRIMARY KEY, by BLOB) WITHOUT ROWID")

    def close(self) -> None:
        self._db.close()

    def put_chats(self, found: Mapping[int, int]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO chat VALUES (?, ?)", found.items())

    def chats(self, wanted: Iterable[int]) -> dict[int, int]:
        """Of these chats those that are here."""
        found: dict[int, int] = {}
        numbers = sorted(set(wanted))
        for start in range(0, len(numbers), AT_ONCE):
            some = numbers[start : start + AT_ONCE]
            marks = ",".join("?" * len(some))
            found |= dict(self._db.execute(f"SELECT there, here FROM chat WHERE there IN ({marks})", some))
        return found

    def put_facts(self, found: Mapping[uuid.UUID, uuid.UUID]) -> None:
        rows = [(there.bytes, here.bytes) for there, here in found.items()]
        self._db.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", rows)

    def put_successors(self, found: Mapping[uuid.UUID, uuid.UUID]) -> None:
        rows = [(fact.bytes, by.bytes) for fact, by in found.items()]
        self._db.executemany("INSERT OR REPLACE INTO successor VALUES (?, ?)", rows)

    def successors(self, most: int) -> Iterator[dict[uuid.UUID, uuid.UUID]]:
        """Facts as they are here, with what took their place, so many at a time."""
        last = b""
        while True:
            rows = self._db.execute(
                "SELECT s.fact, f.here, b.here FROM successor s JOIN fact f ON f.there = s.fact"
                " JOIN fact b ON b.there = s.by WHERE s.fact > ? ORDER BY s.fact LIMIT ?",
                (last, most),
            ).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield {uuid.UUID(bytes=fact): uuid.UUID(bytes=by) for _, fact, by in rows}
