"""The database's part of a search: what is near, and what holds which words. Call inside the profile's scope."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection

from memory.models import OwnerKind
from memory.search import commonness
from memory.search.question import Nearness

EXACT_UP_TO = 4_000  # vectors of one profile; beyond, the index is quicker and nearly as good
COUNT_TO = 5_000  # holders of a word are counted so far
SIZE_KEPT_SECONDS = 60.0
EVER, NEVER = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)
TABLES = {OwnerKind.FACT: "personal_facts", OwnerKind.EPISODE: "episode_summaries", OwnerKind.PASSAGE: "passages"}
_sizes: dict[tuple[uuid.UUID, OwnerKind], tuple[float, int]] = {}


@dataclass(frozen=True)
class Scope:
    """Where is searched: one space (facts: and what is profile-wide), between two times of saying."""

    profile_id: uuid.UUID
    space_id: uuid.UUID
    since: datetime = EVER
    until: datetime = NEVER


@dataclass(frozen=True)
class Holders:
    """Who holds a term. `df`: how many, counted up to a bound; `owners`: which, where there are not too many."""

    df: int
    owners: tuple[uuid.UUID, ...]


def nearest(kind: OwnerKind, near: Nearness, scope: Scope, *, most: int) -> dict[uuid.UUID, float]:
    """The nearest owners with their cosines: exact while a profile has few, by the index beyond."""
    search = "search_exact" if size(kind, scope.profile_id) <= EXACT_UP_TO else "search_indexed"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT owner_id, cosine FROM {search}(%s, %s, %s, %s, %s, %s, %s, %s)",
            [kind.value, near.identity, near.dim, near.text, scope.space_id, scope.since, scope.until, most],
        )
        return dict(cursor.fetchall())


def cosines(kind: OwnerKind, near: Nearness, owners: Sequence[uuid.UUID]) -> dict[uuid.UUID, float]:
    """How near these owners are; those without a vector are left out."""
    if not owners:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT owner_id, cosine FROM search_cosines(%s, %s, %s, %s, %s)",
            [kind.value, near.identity, near.dim, near.text, list(owners)],
        )
        return dict(cursor.fetchall())


def holders(kind: OwnerKind, terms: Sequence[int], scope: Scope, *, most: int) -> list[Holders]:
    """Who holds each term, place for place; owners are named where at most `most` hold it."""
    found = [Holders(commonness.get(kind, scope.space_id, term), ()) for term in terms]
    asked = [n for n, one in enumerate(found) if one.df == 0]
    if not asked:
        return found
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT term_no, df, owners FROM search_terms(%s, %s, %s, %s, %s, %s, %s)",
            [kind.value, [terms[n] for n in asked], scope.space_id, scope.since, scope.until, COUNT_TO, most],
        )
        for place, df, owners in cursor.fetchall():
            found[asked[place]] = Holders(df, tuple(owners or ()))
            if owners is None:
                commonness.keep(kind, scope.space_id, terms[asked[place]], df)
    return found


def size(kind: OwnerKind, profile_id: uuid.UUID) -> int:
    """How many rows of a kind a profile has; of many, how many it had a minute ago."""
    kept = _sizes.get((profile_id, kind))
    if kept and kept[0] > time.monotonic():
        return kept[1]
    held = " AND state = 'current'" if kind is OwnerKind.FACT else ""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {TABLES[kind]} WHERE profile_id = %s{held}", [profile_id])
        count = int(cursor.fetchone()[0])
    if count > 1_000:
        if len(_sizes) > 10_000:
            _sizes.clear()
        _sizes[profile_id, kind] = (time.monotonic() + SIZE_KEPT_SECONDS, count)
    return count
