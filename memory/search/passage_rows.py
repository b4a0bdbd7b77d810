"""The database's part of a search for passages. Call inside the profile's scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memory.domain.ranking.around import Floats, Holders, Ints, Places
from memory.models import OwnerKind, Passage
from memory.search import candidates, commonness
from memory.search.candidates import COUNT_TO, Scope
from memory.search.question import Question

At = tuple[Sequence[str], Sequence[int]]  # conversations, positions
MOST_HOLDERS = 400  # passages of a word that are looked at one by one


@dataclass(frozen=True)
class Rows:
    """Passages as columns of the same length, as their ranking needs them. `terms`: a bit for each that is held."""

    id: Sequence[str] = ()
    cosine: Sequence[float | None] = ()
    terms: Sequence[int] = ()
    conversation: Sequence[str] = ()
    position: Sequence[int] = ()
    length: Sequence[int] = ()
    said_at: Sequence[float] = ()
    by_assistant: Sequence[bool] = ()
    speaker: Sequence[str] = ()


class Held:
    """Where the terms of a question stand. Conversations have small numbers, in the order in which they are met."""

    def __init__(self, df: Sequence[int], found: Sequence[tuple[bytes, bytes, bytes] | None]) -> None:
        """found: of each term the conversations, positions and lengths; None where too many hold it."""
        self.df = list(df)
        whole = b"".join(one[0] for one in found if one is not None)
        ids, numbers = np.unique(np.frombuffer(whole, np.dtype("V16")), return_inverse=True)
        digits = ids.tobytes().hex()
        self._conversations = [digits[n : n + 32] for n in range(0, len(digits), 32)]
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

    def best(self, weights: Floats, most: int) -> tuple[list[str], list[int]]:
        """(conversations, positions) of the messages that hold most of the question, themselves or around them."""
        conversations, positions = self.places.best(weights, most)
        return [self._conversations[n] for n in conversations], [int(n) for n in positions]

    def numbers(self, conversations: Sequence[str]) -> Ints:
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


def fetch(question: Question, terms: Sequence[int], ids: Sequence[str], at: At, scope: Scope) -> Rows:
    """The passages with these ids and those at these places, in this scope."""
    columns = zip(
        *candidates.weighed(
            "passages_weighed",
            question,
            terms,
            scope,
            ids,
            conversations=candidates.as_array(at[0]),
            positions=list(at[1]),
            since=scope.since,
            until=scope.until,
        ),
        strict=True,
    )
    return Rows(*columns)


def texts(ids: Sequence[str]) -> dict[str, str]:
    """The texts of these passages, as far as they are still there."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id::text, text FROM passages WHERE id = ANY (%s::uuid[])", [candidates.as_array(ids)])
        return dict(cursor.fetchall())


SHOWN = """
SELECT id, text, role, speaker, said_at, audit_id, source_ids, conversation_id FROM passages
 WHERE id = ANY (%s::uuid[])"""


def shown(ids: Sequence[str]) -> dict[str, Passage]:
    """What is shown of these passages, as far as they are still there."""
    return {str(row.id): row for row in Passage.objects.raw(SHOWN, [candidates.as_array(ids)])}


def _ints(data: bytes) -> NDArray[np.int64]:
    return np.frombuffer(data, ">i4").astype(np.int64)
