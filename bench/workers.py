"""What a second worker process brings, and how a long backlog is worked off."""

from __future__ import annotations

import time
import uuid
from contextlib import ExitStack
from typing import Any

import psycopg

from bench.extraction import fill
from bench.stack import Stack, person, until
from bench.tables import table

THREADS = 8
PEOPLE, EACH = 20, 10
BACKLOG, TALK = 100_000, 100  # audit rows; turns of one conversation
LOOK_EVERY = 1.0


def run(stack: Stack) -> None:
    """With a model of half a second; then a backlog with one that answers at once."""
    people = [person(f"bench-workers-{n}")[1] for n in range(PEOPLE)]
    rates = {count: _rate(stack, people, count) for count in (1, 2)}
    rows = {f"{count} x {THREADS} threads": [rate, rate / rates[1]] for count, rate in rates.items()}
    table("Chats read by worker processes, model of 500 ms", ["items/s", "ratio"], rows)
    _backlog(stack)


def _waiting() -> int:
    from memory.db import claim_scope
    from memory.models import WorkItem

    with claim_scope():
        return WorkItem.objects.exclude(state="done").values("audit_id").distinct().count()


def _rate(stack: Stack, people: list[uuid.UUID], count: int) -> float:
    from memory import cursor
    from memory.models import WorkKind
    from workers import tasks

    fill(people, EACH * count)
    cursor.tick(*WorkKind)
    total = _waiting()
    with stack.model(seconds=0.5) as url, ExitStack() as running:
        for _ in range(count):
            running.enter_context(stack.worker(url, threads=THREADS))
        tasks.wake(WorkKind.EXTRACT)
        until(lambda: _waiting() < total - 2 * THREADS * count)  # each has loaded what it needs
        started, before = time.perf_counter(), _waiting()
        until(lambda: _waiting() <= THREADS * count, seconds=120)
        rate = (before - _waiting()) / (time.perf_counter() - started)
        until(lambda: _waiting() == 0)
    return rate


def _backlog(stack: Stack) -> None:
    """So many finished chats that nobody has looked at, worked off by one worker; and its memory."""
    from workers import tasks

    people = [person(f"bench-backlog-{n}")[1] for n in range(20)]
    _write(stack.postgres.url("superuser"), people)
    sizes: list[float] = []
    with stack.model() as url, stack.worker(url, threads=16) as worker:
        started = time.perf_counter()
        tasks.tick()
        while _waiting():
            tasks.recover()
            sizes.append(worker.memory_full_info().uss / 2**20)
            time.sleep(LOOK_EVERY)
        taken = time.perf_counter() - started
    third = max(1, len(sizes) // 3)
    middle, last = max(sizes[third : 2 * third]), max(sizes[2 * third :])
    table(
        f"A backlog of {BACKLOG:,} audit rows worked off by one worker (model of 0 ms)",
        ["seconds", "rows/s", "MB middle", "MB end", "MB most"],
        {"in conversations of 100 turns": [taken, BACKLOG / taken, middle, last, max(sizes)]},
    )


TELL = """
INSERT INTO audit_log (profile_id, conversation_id, space_id, event_type, actor, mine_facts, mine_summary, said_at,
                       payload)
SELECT %(profile)s, %(talk)s, %(space)s, 'chat.completed', 'person', true, true, now() + n * interval '1 ms',
       jsonb_build_object('messages', jsonb_build_array(jsonb_build_object('role', 'user', 'text',
         'I play the viola, and my lucky number is ' || n)), 'answer', jsonb_build_object('text', 'Noted.'),
         'complete', true)
  FROM generate_series(1, %(turns)s::int) n"""


def _write(url: str, people: list[uuid.UUID]) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for profile in people:
            (space,) = _one(connection, "SELECT id FROM spaces WHERE profile_id = %s", profile)
            for _ in range(BACKLOG // TALK // len(people)):
                (talk,) = _one(
                    connection,
                    "INSERT INTO conversations (id, profile_id, space_id) VALUES (uuidv7(), %s, %s) RETURNING id",
                    profile,
                    space,
                )
                values = {"profile": profile, "talk": talk, "space": space, "turns": TALK}
                connection.execute(TELL, values)
        connection.execute("ANALYZE audit_log")


def _one(connection: psycopg.Connection[Any], statement: str, *values: Any) -> Any:
    row = connection.execute(statement, values).fetchone()
    assert row is not None
    return row
