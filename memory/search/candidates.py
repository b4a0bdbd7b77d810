"""The database's part of a search: what is near, and what holds which words. Call inside the profile's scope.

Owners go by their ids as text: there are hundreds of them, and they only go back to the database.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from memory import sql
from memory.models import OwnerKind
from memory.search import commonness, sizes
from memory.search.question import Nearness, Question

EXACT_UP_TO = 4_000  # vectors of one profile that are always compared one by one
INDEXED_COSTS = 20  # comparisons that take as long as looking at one vector by the index
LOOKED_AT = 100  # vectors that the index looks at to begin with
COUNT_TO = 2_000  # holders of a word are counted so far; beyond, it tells little
EVER, NEVER = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)


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
    owners: tuple[str, ...]


def nearest(kind: OwnerKind, near: Nearness | None, scope: Scope, *, most: int) -> list[str]:
    """The nearest owners, nearest first: exact while that is quick, by the index beyond. None without a vector."""
    if near is None:
        return []
    search = "search_exact" if _is_exact(kind, near, scope, most) else "search_indexed"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT owner_id::text FROM {search}(%s, %s, %s, %s, %s, %s, %s, %s)",
            [kind.value, near.identity, near.dim, near.text, scope.space_id, scope.since, scope.until, most],
        )
        return [owner for (owner,) in cursor.fetchall()]


def _is_exact(kind: OwnerKind, near: Nearness, scope: Scope, most: int) -> bool:
    """Whether comparing all vectors of the profile is quicker than the index, or they are few.

    The index holds everybody's vectors of every kind, so that it looks at many more than it finds.
    """
    mine = sizes.rows(kind, scope.profile_id)
    if mine <= EXACT_UP_TO:
        return True
    looked_at = max(LOOKED_AT, most * sizes.vectors(near.identity) / mine)
    return mine <= INDEXED_COSTS * looked_at


def holders(kind: OwnerKind, terms: Sequence[int], scope: Scope, *, most: int) -> list[Holders]:
    """Who holds each term, place for place; owners are named where at most `most` hold it."""
    found = [Holders(commonness.get(kind, scope.space_id, term), ()) for term in terms]
    asked = [n for n, one in enumerate(found) if one.df == 0]
    if not asked:
        return found
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT term_no, df, owners::text[] FROM search_terms(%s, %s, %s, %s, %s, %s, %s)",
            [kind.value, [terms[n] for n in asked], scope.space_id, scope.since, scope.until, COUNT_TO, most],
        )
        for place, df, owners in cursor.fetchall():
            found[asked[place]] = Holders(df, tuple(owners or ()))
            if owners is None:
                commonness.keep(kind, scope.space_id, terms[asked[place]], df)
    return found


def weighed(
    name: str, question: Question, terms: Sequence[int], scope: Scope, ids: Collection[str], **values: Any
) -> list[tuple[Any, ...]]:
    """What the statement `name` says of these owners: who of them may be found, and what their rank needs.

    Its first columns are the id, the cosine to the question (None without a vector) and which of the terms it holds.
    """
    near = question.near
    with connection.cursor() as cursor:
        cursor.execute(
            sql.read(name),
            {
                "ids": as_array(ids),
                "terms": list(terms),
                "profile": scope.profile_id,
                "space": scope.space_id,
                "identity": near.identity if near else None,
                "dim": near.dim if near else None,
                "vector": near.text if near else None,
                **values,
            },
        )
        return cursor.fetchall()


def as_array(ids: Collection[str]) -> str:
    """Ids as PostgreSQL reads an array; a list would be quoted one by one."""
    return f"{{{','.join(ids)}}}"


def places(bits: int) -> frozenset[int]:
    """The places of the bits that are set."""
    return frozenset(place for place in range(bits.bit_length()) if bits >> place & 1)
