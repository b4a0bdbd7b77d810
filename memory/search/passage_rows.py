"""The database's part of a search for passages. Call inside the profile's scope."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memory.domain.ranking.around import Floats, Holders, Ints, Places
from memory.models import OwnerKind
from memory.search import commonness
from memory.search.candidates import COUNT_TO, Scope

MOST_HOLDERS = 400  # passages of a word that are looked at one by one


@dataclass(frozen=True)
class Row:
    """A passage as its ranking needs it."""

    id: uuid.UUID
    conversation: uuid.UUID
    position: int
    length: int
    role: str
    speaker: str
    said_at: datetime
    terms: frozenset[int]


class Held:
    """Where the terms of a question stand. Conversations have small numbers, in the order in which they are met."""

    def __init__(self, df: Sequence[int], found: Sequence[tuple[bytes, bytes, bytes] | None]) -> None:
        """found: of each term the conversations, positions and lengths; None where too many hold it."""
        self.df = list(df)
        whole = b"".join(one[0] for one in found if one is not None)
        ids, numbers = np.unique(np.frombuffer(whole, np.dtype("V16")), return_inverse=True)
        self._conversations = [uuid.UUID(bytes=bytes(one)) for one in ids]
        self._numbers = {one: n for n, one in enumerate(self._conversations)}
        holders: list[Holders | None] = []
        begin = 0
        for one in found:
            if one is None:
                holders.append(None)
                continue
            count = len(one[1]) // 4
            holders.append(Holders(numbers[begin : begin + count].astype(np.int64), _ints(one[1]), _ints(one[2])))
            begin += count
        self.places = Places(holders)

    def best(self, weights: Floats, most: int) -> tuple[list[uuid.UUID], list[int]]:
        """(conversations, positions) of the messages that hold most of the question, themselves or around them."""
        conversations, positions = self.places.best(weights, most)
        return [self._conversations[n] for n in conversations], [int(n) for n in positions]

    def numbers(self, conversations: Sequence[uuid.UUID]) -> Ints:
        """The number of each; those that no term stands in get new ones."""
        return np.array([self._numbers.setdefault(one, len(self._numbers)) for one in conversations], np.int64)


def places(terms: Sequence[int], scope: Scope) -> Held:
    """Where each term stands; of those that very many passages hold only how many that is."""
    df = [commonness.get(OwnerKind.PASSAGE, scope.space_id, term) for term in terms]
    found: list[tuple[bytes, bytes, bytes] | None] = [None if common else (b"", b"", b"") for common in df]
    asked = [n for n, common in enumerate(df) if not common]
    if asked:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT term_no, df, conversations, positions, lengths FROM search_places(%s, %s, %s, %s, %s, %s)",
                [[terms[n] for n in asked], scope.space_id, scope.since, scope.until, COUNT_TO, MOST_HOLDERS],
            )
            for place, count, conversations, positions, lengths in cursor.fetchall():
                n = asked[place]
                df[n] = count
                if conversations is None:
                    found[n] = None
                    commonness.keep(OwnerKind.PASSAGE, scope.space_id, terms[n], count)
                else:
                    found[n] = (bytes(conversations), bytes(positions), bytes(lengths))
    return Held(df, found)


FETCH = """
WITH wanted AS (
  SELECT id FROM unnest(%(ids)s::uuid[]) AS i (id)
  UNION
  SELECT p.id FROM passages p
    JOIN unnest(%(conversations)s::uuid[], %(positions)s::integer[]) AS w (conversation, position)
      ON p.conversation_id = w.conversation AND p.position = w.position
)
SELECT p.id, p.conversation_id, p.position, p.length, p.role, p.speaker, p.said_at, p.terms
  FROM passages p JOIN wanted USING (id)
 WHERE p.profile_id = %(profile)s AND p.space_id = %(space)s AND p.said_at BETWEEN %(since)s AND %(until)s"""


def fetch(ids: Sequence[uuid.UUID], at: tuple[Sequence[uuid.UUID], Sequence[int]], scope: Scope) -> list[Row]:
    """The passages with these ids and those at these places, in this scope."""
    with connection.cursor() as cursor:
        cursor.execute(
            FETCH,
            {
                "ids": list(ids),
                "conversations": list(at[0]),
                "positions": list(at[1]),
                "profile": scope.profile_id,
                "space": scope.space_id,
                "since": scope.since,
                "until": scope.until,
            },
        )
        return [_row(*columns) for columns in cursor.fetchall()]


def _ints(data: bytes) -> NDArray[np.int64]:
    return np.frombuffer(data, ">i4").astype(np.int64)


def _row(
    passage_id: uuid.UUID,
    conversation: uuid.UUID,
    position: int,
    length: int,
    role: str,
    speaker: str,
    said_at: datetime,
    terms: Sequence[int],
) -> Row:
    return Row(passage_id, conversation, position, length, role, speaker, said_at, frozenset(terms))
