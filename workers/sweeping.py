"""The sweep, by the hour: what is older than it is kept, and sessions that have ended."""

from __future__ import annotations

from celery import shared_task
from django.core.management import call_command

from memory import sweep

# Well within the time after which the broker would hand the task to another worker.
MOST_SECONDS = 300.0


@shared_task(name="caesar.sweep", queue="maintenance", ignore_result=True)
def sweep_due() -> None:
    """Sweep for a bounded time; what is left waits for the next time."""
    sweep.sweep(seconds=MOST_SECONDS)
    call_command("clearsessions")
