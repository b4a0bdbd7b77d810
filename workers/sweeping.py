"""The sweep, by the hour: what is older than it is kept, and sessions that have ended."""

from __future__ import annotations

from celery import shared_task
from django.db import connection

from memory import sweep
from memory.db import operator_scope
from memory.sweep import Swept

# Well within the time after which the broker would hand the task to another worker.
MOST_SECONDS = 300.0


@shared_task(name="caesar.sweep", queue="maintenance", ignore_result=True)
def sweep_due() -> None:
    """Sweep for a bounded time; what is left waits for the next time."""
    run(seconds=MOST_SECONDS)


def run(*, seconds: float | None = None, actor: str = "system") -> Swept:
    """Everything that a sweep is."""
    done = sweep.sweep(seconds=seconds, actor=actor)
    with operator_scope(), connection.cursor() as cursor:
        cursor.execute("SELECT login_clear()")
    return done
