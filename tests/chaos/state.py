"""The whole state of an installation, seen past the product, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

import psycopg

from tests.chaos.telling import Told

OWNERS = """
SELECT 'fact', id FROM personal_facts WHERE state = 'current'
UNION ALL SELECT 'episode', id FROM episode_summaries UNION ALL SELECT 'passage', id FROM passages"""


class State:
    """Reads committed rows with the superuser's eyes."""

    def __init__(self, url: str) -> None:
        self._url = url

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self._url, connect_timeout=5, autocommit=True) as connection:
            return connection.execute(statement, values).fetchall()

    def run(self, statement: str, *values: Any) -> None:
        with psycopg.connect(self._url, connect_timeout=5, autocommit=True) as connection:
            connection.execute(statement, values or None)

    def items(self) -> Counter[str]:
        """How many work items stand where."""
        return Counter(dict(self.rows("SELECT state, count(*) FROM work_items GROUP BY state")))

    def values(self) -> set[str]:
        """What is known."""
        return {value for (value,) in self.rows("SELECT value FROM personal_facts WHERE state = 'current'")}

    def settled(self, *, vectors: bool = False) -> bool:
        """Whether every finished chat was looked at and read, and all that came of it has its vectors."""
        (left,) = self.rows(
            "SELECT (SELECT count(*) FROM work_items WHERE state IN ('waiting', 'running'))"
            " + (SELECT count(*) FROM embed_queue WHERE %s) + (SELECT count(*) FROM audit_log a"
            " WHERE event_type = 'chat.completed' AND mine_facts AND NOT EXISTS"
            " (SELECT FROM work_items w WHERE w.audit_id = a.id AND w.kind = 'extract'))",
            vectors,
        )[0]
        return bool(left == 0)

    def wrongs(self, seen: Iterable[Told], *, tried: Iterable[Told] = (), vectors: bool = False) -> list[str]:
        """What is not as it must be when everything is settled.

        seen: told in chats whose answer the client got whole; each is known once and was added once. tried: told in
        others; known once or not at all. Nothing else is known.
        """
        seen, tried = set(seen), set(tried)
        known = Counter(self.rows("SELECT key, value FROM personal_facts WHERE state = 'current'"))
        added = Counter(
            self.rows("SELECT payload->>'key', payload->>'value' FROM audit_log WHERE event_type = 'memory.fact.added'")
        )
        wrong = [f"not known: {one.sentence}" for one in seen if not known[one.key, one.value]]
        may = {(one.key, one.value) for one in seen | tried}
        wrong += [f"never told: {found}" for found in known if found not in may]
        wrong += [f"known {n} times: {found}" for found, n in known.items() if n > 1]
        wrong += [f"known {known[found]} times and added {added[found]}: {found}" for found in known | added
                  if added[found] != known[found]]  # fmt: skip
        wrong += self._log(seen)
        wrong += [f"{n} items are {state}" for state, n in self.items().items() if state not in ("done", "cancelled")]
        talks = self.rows(
            "SELECT conversation_id, count(*) FROM episode_summaries GROUP BY conversation_id HAVING count(*) > 1"
        )
        wrong += [f"{n} summaries of the conversation {talk}" for talk, n in talks]
        return wrong + (self._vectors() if vectors else [])

    def _log(self, seen: Collection[Told]) -> list[str]:
        """A chat that was answered has its row, with its text; none has two."""
        said = Counter(
            text
            for (text,) in self.rows(
                "SELECT m->>'text' FROM audit_log, jsonb_array_elements(payload->'messages') m"
                " WHERE event_type = 'chat.completed' AND m->>'role' = 'user'"
            )
        )
        return [f"{said[one.sentence]} rows of the chat: {one.sentence}" for one in seen if said[one.sentence] != 1]

    def _vectors(self) -> list[str]:
        owners = Counter(self.rows(OWNERS))
        embedded = Counter(self.rows("SELECT owner_kind, owner_id FROM embeddings"))
        return [f"{embedded[one]} vectors of {one}" for one in owners | embedded if embedded[one] != owners[one]]
