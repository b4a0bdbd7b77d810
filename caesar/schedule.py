"""The scheduler: goes by a clock that is never set, and adds no wake-up where enough of them wait."""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from celery import beat
from celery.schedules import schedule

from workers import wake_ups

MOST_WAITING = 16  # on a queue that nobody takes from


def steady() -> datetime:
    """A time that goes on evenly, whatever is done to the machine's clock. It means nothing outside this process."""
    return datetime.fromtimestamp(time.monotonic(), UTC)


def every(seconds: float) -> schedule:
    """So often."""
    return schedule(seconds, nowfun=steady)


class Scheduler(beat.Scheduler):  # type: ignore[misc]
    """Keeps nothing on disk: what is due the tasks find out from the database. All run once when it starts."""

    def setup_schedule(self) -> None:
        super().setup_schedule()
        for entry in self.schedule.values():
            entry.last_run_at = steady() - entry.schedule.run_every

    def apply_async(self, entry: Any, producer: Any = None, advance: bool = True, **kwargs: Any) -> Any:
        try:
            if wake_ups.waiting(producer or self.producer, entry.options["queue"]) >= MOST_WAITING:
                return self.reserve(entry) if advance else None
            return super().apply_async(entry, producer=producer, advance=advance, **kwargs)
        except Exception:
            self._let_go()
            raise

    def _let_go(self) -> None:
        """A connection that broke in the middle of something may be of no use for ever: the next try makes one."""
        held = self.__dict__.pop("connection", None)
        self.__dict__.pop("producer", None)
        if held is not None:
            with suppress(Exception):
                held.release()

    def _ensure_connected(self) -> Any:
        """Waits for the broker as long as it takes, and no longer: it is looked for each second."""
        return self.connection.ensure_connection(interval_start=1, interval_step=0, interval_max=1)
