"""How long searches take."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bench.chat import p
from bench.corpus import Asked

WARM_UP = 10  # questions that fill caches first


@dataclass
class Seen:
    """Of some questions: milliseconds each, processor time (here and in PostgreSQL) each, how many were answered."""

    milliseconds: list[float] = field(default_factory=list)
    computing: list[float] = field(default_factory=list)
    answered: int = 0

    @property
    def p50(self) -> float:
        return p(self.milliseconds, 50)

    def row(self, *, base: float) -> list[float]:
        """[p50, p95, processor time p50, how many times faster than the base, % answered]."""
        share = 100 * self.answered / len(self.milliseconds)
        return [self.p50, p(self.milliseconds, 95), p(self.computing, 50), base / self.p50, share]


COLUMNS = ["p50 ms", "p95 ms", "cpu p50", "times faster", "found %"]


def timed(search: Callable[[Asked], Collection[str]], questions: Iterable[Asked], *, warm_up: int = WARM_UP) -> Seen:
    """Ask the questions one after another. `search` gives the texts that it finds."""
    seen = Seen()
    for place, asked in enumerate(questions):
        started, computing = time.perf_counter(), busy()
        found = search(asked)
        if place >= warm_up:
            seen.milliseconds.append(1000 * (time.perf_counter() - started))
            seen.computing.append(1000 * (busy() - computing))
            seen.answered += asked.about in found
    return seen


def busy() -> float:
    """Seconds that a processor was busy for this process and its session. Others that are busy too do not count."""
    from django.db import connection

    connection.ensure_connection()
    schedule = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    served = int(schedule.read_text().split()[0]) / 1e9 if schedule.exists() else 0.0
    return time.process_time() + served
