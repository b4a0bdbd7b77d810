"""How much there is to search. Call inside the profile's scope."""

from __future__ import annotations

import time
import uuid

from django.db import connection

from memory.models import OwnerKind

KEPT_SECONDS = 60.0
FEW = 1_000  # rows that are counted each time
MOST_KEPT = 10_000
TABLES = {OwnerKind.FACT: "personal_facts", OwnerKind.EPISODE: "episode_summaries", OwnerKind.PASSAGE: "passages"}
_rows: dict[tuple[uuid.UUID, OwnerKind], tuple[float, int]] = {}
_vectors: dict[str, tuple[float, int]] = {}


def rows(kind: OwnerKind, profile_id: uuid.UUID) -> int:
    """How many rows of a kind a profile has; of many, how many it had a minute ago."""
    until, count = _rows.get((profile_id, kind), (0.0, 0))
    if until > time.monotonic():
        return count
    held = " AND state = 'current'" if kind is OwnerKind.FACT else ""
    count = _number(f"SELECT count(*) FROM {TABLES[kind]} WHERE profile_id = %s{held}", profile_id)
    if count > FEW:
        if len(_rows) > MOST_KEPT:
            _rows.clear()
        _rows[profile_id, kind] = (time.monotonic() + KEPT_SECONDS, count)
    return count


def vectors(identity: str) -> int:
    """About how many vectors the index of an embedder holds, whosever they are: as PostgreSQL counted them last."""
    until, count = _vectors.get(identity, (0.0, 0))
    if until > time.monotonic():
        return count
    count = max(
        0,
        _number(
            "SELECT max(reltuples)::bigint FROM pg_class WHERE relname = 'embeddings_' || left(md5(%s), 16)", identity
        ),
    )
    _vectors[identity] = (time.monotonic() + KEPT_SECONDS, count)
    return count


def _number(sql: str, value: str | uuid.UUID) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, [value])
        return int(cursor.fetchone()[0] or 0)
