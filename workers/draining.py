"""How a worker ends when it is asked to: takes nothing new, finishes what it can, gives the rest back in time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import structlog
from celery.signals import worker_shutting_down
from django.db import connection

from memory import leases

LOG = structlog.get_logger(__name__)
GRACE_SECONDS = 7.0  # `up`, Docker and others kill after ten
ENDING = threading.Event()
LAST: list[Callable[[], object]] = []  # what else is done before the process ends


@worker_shutting_down.connect
def _end(**_: Any) -> None:
    if not ENDING.is_set():
        ENDING.set()
        threading.Thread(target=_in_time, name="drain", daemon=True).start()


def _in_time() -> None:
    """Runs out with the process where that ends by itself."""
    threading.Event().wait(GRACE_SECONDS)
    try:
        LOG.warning("given_back", items=leases.give_back())
        connection.close()
        for last in LAST:
            last()
    except Exception:  # the leases run out by themselves
        LOG.exception("not_given_back")
    finally:
        os._exit(0)
