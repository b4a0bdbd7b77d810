"""Whether this worker may take work: not where the tables are of another version, and not while it ends."""

from __future__ import annotations

import threading
import time
from typing import Any

import celery
import structlog

from memory import schema
from workers import draining

LOG = structlog.get_logger(__name__)
KEPT_SECONDS = 1.0
TOLD_EVERY_SECONDS = 60.0
_lock = threading.Lock()
_looked_at = _told_at = float("-inf")
_problem = ""


def problem() -> str:
    """Why this worker must not touch the tables, as of a second ago; empty where it may."""
    global _looked_at, _told_at, _problem
    with _lock:
        if time.monotonic() - _looked_at > KEPT_SECONDS:
            _problem = schema.mismatch()
            _looked_at = time.monotonic()
        if not _problem:
            _told_at = float("-inf")
        elif time.monotonic() - _told_at > TOLD_EVERY_SECONDS:
            _told_at = time.monotonic()
            LOG.error("work_refused", reason=_problem)
        return _problem


class Task(celery.Task):  # type: ignore[misc]
    """A wake-up that finds a worker that may take no work does nothing: others are woken up in a moment."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if draining.ENDING.is_set() or problem():
            return None
        return super().__call__(*args, **kwargs)
