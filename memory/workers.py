"""The only writer of what workers tell of themselves: name, queues, version, heartbeat, and why one takes no work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from memory.db import claim_scope
from memory.version import VERSION

BEAT_SECONDS = 5.0
SILENT_SECONDS = 20.0  # whoever is silent for longer is cut off or dead
FORGOTTEN_SECONDS = 24 * 3600.0

_REPORT = """
INSERT INTO workers (name, queues, threads, version, problem, started_at, seen_at)
VALUES (%(name)s, %(queues)s, %(threads)s, %(version)s, %(problem)s, clock_timestamp(), clock_timestamp())
ON CONFLICT (name) DO UPDATE SET
  queues = excluded.queues, threads = excluded.threads, version = excluded.version, problem = excluded.problem,
  started_at = CASE WHEN %(begins)s THEN excluded.started_at ELSE workers.started_at END, seen_at = excluded.seen_at"""
_LIST = """
SELECT name, queues, threads, version, problem, extract(epoch FROM clock_timestamp() - seen_at)::float8
  FROM workers ORDER BY name"""


@dataclass(frozen=True)
class Seen:
    """A worker as it told of itself `seconds` ago."""

    name: str
    queues: tuple[str, ...]
    threads: int
    version: str
    problem: str
    seconds: float

    @property
    def silent(self) -> bool:
        """Whether it should have told of itself again by now."""
        return self.seconds > SILENT_SECONDS


def report(*, name: str, queues: Sequence[str], threads: int, problem: str, begins: bool = False) -> None:
    """Say that this worker is there, and why it takes no work where it takes none."""
    with claim_scope(), connection.cursor() as cursor:
        cursor.execute(
            _REPORT,
            {
                "name": name,
                "queues": sorted(queues),
                "threads": threads,
                "version": VERSION,
                "problem": problem,
                "begins": begins,
            },
        )
        if begins:
            cursor.execute(
                "DELETE FROM workers WHERE seen_at < clock_timestamp() - make_interval(secs => %s)",
                [FORGOTTEN_SECONDS],
            )


def gone(name: str) -> None:
    """It ends as it was asked to, and nobody need wonder where it is."""
    with claim_scope(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM workers WHERE name = %s", [name])


def listed() -> list[Seen]:
    """Every worker of the last day, by name."""
    with claim_scope(), connection.cursor() as cursor:
        cursor.execute(_LIST)
        rows = cursor.fetchall()
    return [Seen(r[0], tuple(r[1]), r[2], r[3], r[4], r[5]) for r in rows]
