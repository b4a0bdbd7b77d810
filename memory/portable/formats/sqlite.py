"""SQLite files that strangers made: opened to be read alone, their tables and rows of bounded size."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memory.errors import InvalidInput

MOST_SECONDS = 1_800
MOST_CELL = 64_000_000  # bytes
STEPS = 100_000  # of SQLite's machine between two looks at the clock
_NAME = re.compile(r"\w+")
_ID = re.compile(r"[\w-]{1,40}")
DAMAGED = "The SQLite file is damaged, cut off or encrypted."


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Raises InvalidInput for what cannot be read."""
    try:
        found = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error:
        raise InvalidInput(DAMAGED) from None
    end = time.monotonic() + MOST_SECONDS
    found.set_progress_handler(lambda: time.monotonic() > end, STEPS)
    found.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_CELL)
    found.text_factory = lambda raw: raw.decode("utf-8", "replace")
    found.row_factory = sqlite3.Row
    try:
        found.execute("PRAGMA trusted_schema = OFF")
        found.execute("PRAGMA query_only = ON")
        yield found
    except sqlite3.Error:
        raise InvalidInput(DAMAGED) from None
    finally:
        found.close()


def tables(found: sqlite3.Connection) -> set[str]:
    """The plain tables: views and virtual ones run what their makers wrote."""
    rows = found.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    return {str(row["name"]) for row in rows if not str(row["sql"]).upper().lstrip().startswith("CREATE VIRTUAL")}


def rows(found: sqlite3.Connection, table: str, *, by: str = "") -> Iterator[dict[str, Any]]:
    """The rows, with the names of columns in one form: `sourceRefs` and `source_refs` are both `sourcerefs`.

    `by`: the column (in that form) in whose order they come, where there is one.
    """
    if not _NAME.fullmatch(table):
        raise InvalidInput(DAMAGED)
    columns = [str(row["name"]) for row in found.execute(f'PRAGMA table_info("{table}")')]
    order = next((f' ORDER BY "{name}"' for name in columns if _plain(name) == by and _NAME.fullmatch(name)), "")
    for row in found.execute(f'SELECT * FROM "{table}"{order}'):
        yield {_plain(name): row[name] for name in columns}


def place(table: str, row: dict[str, Any]) -> str:
    """Which row it is, for a report: by its id, unless that is a text of its own."""
    named = str(row.get("id"))
    return f"{table} {named}" if _ID.fullmatch(named) else table


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
