"""A BrainCue database: its `memories`, with spaces ("packs") where it has some."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from memory.errors import InvalidInput
from memory.portable.formats import sqlite
from memory.portable.found import Found, FoundFact, Skipped, category_of, share, slug_of, text_in, time_of

TEXTS = ("content", "text", "value", "fact", "body", "memory")
STATUSES = ("approvalstatus", "status", "approval", "state")


def read(found: sqlite3.Connection) -> Iterator[Found]:
    """Its memories, oldest first, so that what replaced another comes after it. Raises InvalidInput."""
    there = sqlite.tables(found)
    whose = _profiles(found)
    if len(whose) > 1:
        raise InvalidInput(
            f"The database holds the memories of {len(whose)} profiles, and an import is of one person: leave the "
            "rows of one in it."
        )
    spaces: dict[Any, str | None] = {}
    for table in sorted({"packs", "spaces"} & there):
        spaces |= {row.get("id"): slug_of(row.get("name") or row.get("title")) for row in sqlite.rows(found, table)}
    for row in sqlite.rows(found, "memories", by="createdat"):
        yield _fact(row, spaces)


def _profiles(found: sqlite3.Connection) -> set[Any]:
    return {row["profileid"] for row in sqlite.rows(found, "memories") if row.get("profileid") is not None}


def _fact(row: dict[str, Any], spaces: dict[Any, str | None]) -> FoundFact | Skipped:
    where = sqlite.place("memories", row)
    text = next((text for name in TEXTS if (text := text_in(row.get(name)).strip())), "")
    if not text:
        return Skipped(where, "a memory without a text")
    status = next((word for name in STATUSES if (word := text_in(row.get(name)).lower())), "approved")
    pack = row.get("packid") if row.get("packid") is not None else row.get("spaceid")
    made = time_of(row.get("createdat"))
    replaced = row.get("supersededby") is not None
    return FoundFact(
        text,
        key=text_in(row.get("factkey")) or None,
        at=made if replaced else (made or time_of(row.get("updatedat"))),
        confidence=share(row.get("confidence"), 0.7),
        importance=share(row.get("importance"), 0.5),
        category=category_of(row.get("category")),
        space=None if pack is None else spaces.get(pack) or slug_of(str(pack)),
        expires_at=time_of(row.get("expiresat")),
        valid_to=time_of(row.get("validto")),
        waits=status not in ("approved", "rejected"),
        rejected=status == "rejected",
        own=text_in(row.get("sourcekind")).lower() in ("authored", "manual", "user"),
    )
