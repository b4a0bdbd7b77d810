"""Tells who works here: name, queues, version, and why no work is taken where none is."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import structlog
from celery.signals import worker_ready, worker_shutdown
from django.db import ProgrammingError, connection

from memory import workers
from workers import draining, fitness

LOG = structlog.get_logger(__name__)


class Reporter:
    """A thread that reports every few seconds, also while no work can be taken."""

    def __init__(self, name: str, queues: Sequence[str], threads: int) -> None:
        self.name, self._queues, self._threads = name, queues, threads
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="report", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """The last word."""
        self._ending.set()
        self._thread.join(2)
        try:
            workers.gone(self.name)
        except Exception:
            LOG.warning("not_signed_off", name=self.name)
        finally:
            connection.close()

    def _run(self) -> None:
        begins = True
        while not self._ending.is_set():
            try:
                workers.report(
                    name=self.name,
                    queues=self._queues,
                    threads=self._threads,
                    problem=fitness.problem(),
                    begins=begins,
                )
                begins = False
            except ProgrammingError:  # older tables have no place for it; that work is refused is told
                connection.close()
            except Exception:
                LOG.exception("not_reported")
                connection.close()
            self._ending.wait(workers.BEAT_SECONDS)
        connection.close()


_reporter: Reporter | None = None


@worker_ready.connect
def _begin(sender: Any, **_: Any) -> None:
    global _reporter
    _reporter = Reporter(sender.hostname, list(sender.app.amqp.queues.consume_from), int(sender.pool.limit or 1))
    draining.LAST.append(_reporter.end)


@worker_shutdown.connect
def _end(**_: Any) -> None:
    if _reporter is not None:
        _reporter.end()
