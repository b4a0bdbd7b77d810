"""How fast a worker reads finished chats, for facts and for the summary of each in the same call."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection
from typing import TYPE_CHECKING

from bench.stack import Stack, person, until
from bench.tables import table

if TYPE_CHECKING:
    from memory.models import WorkKind


def run(stack: Stack) -> None:
    """With a model of no latency and one of half a second."""
    from memory.models import WorkKind

    people = [person(f"bench-extract-{n}")[1] for n in range(20)]
    for title, wanted in (("facts and a summary, in one call", list(WorkKind)), ("facts alone", [WorkKind.EXTRACT])):
        rows: dict[str, list[float]] = {}
        for seconds, threads, each in ((0.0, 8, 20), (0.5, 8, 10), (0.5, 96, 60)):
            with stack.model(seconds=seconds) as url:
                rate, busy = chats_per_second(stack, url, wanted, threads=threads, profiles=people, chats_each=each)
            rows[f"model of {seconds * 1000:.0f} ms, {threads} threads"] = [
                rate,
                rate / max(rows.values(), default=[rate])[0],
                busy * 1000,
            ]
        table(f"Chats read by one worker process for {title}", ["chats/s", "ratio", "ms of a core each"], rows)


def fill(profiles: list[uuid.UUID], chats_each: int) -> None:
    """Finished chats that wait to be read, each a conversation of its own."""
    from memory import chats

    for profile_id in profiles:
        for n in range(chats_each):
            said = [{"role": "user", "content": f"I play the viola, and my lucky number is {n}."}]
            turn = chats.begin(profile_id=profile_id, messages=said, conversation_id=f"bench {uuid.uuid4()}")
            chats.finish(turn, chats.Answer(text="Noted.", model="scripted"))


def chats_per_second(
    stack: Stack,
    model_url: str,
    wanted: Collection[WorkKind],
    *,
    threads: int,
    profiles: list[uuid.UUID],
    chats_each: int,
) -> tuple[float, float]:
    """Chats that one worker process with so many threads reads in a second, from its first to its last.

    And the seconds of a core that it is busy with each of them.
    """
    from memory import cursor
    from memory.db import claim_scope
    from memory.models import WorkItem, WorkKind
    from workers import tasks

    fill(profiles, chats_each)
    cursor.tick(*wanted)

    def waiting() -> int:
        with claim_scope():
            return WorkItem.objects.exclude(state="done").values("audit_id").distinct().count()

    total = waiting()
    enabled = {"CAESAR_MEMORY__EPISODES_SUMMARISE__ENABLED": str(WorkKind.SUMMARISE in wanted)}
    with stack.worker(model_url, threads=threads, env=enabled) as worker:
        tasks.wake(WorkKind.EXTRACT)
        until(lambda: waiting() < total)
        started, before, busy = time.perf_counter(), waiting(), sum(worker.cpu_times()[:2])
        until(lambda: waiting() == 0, seconds=300)
        return before / (time.perf_counter() - started), (sum(worker.cpu_times()[:2]) - busy) / before
