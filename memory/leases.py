"""Keeps the leases of what this process works at while models take their time."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import structlog
from django.db import connection

from memory import embeddings, work

LOG = structlog.get_logger(__name__)
Renew = Callable[[Sequence[uuid.UUID]], None]


class Keeper:
    """One thread that renews all held leases, named by their tokens; alive only while there are some."""

    def __init__(self, renew: Renew, *, every: float = work.RENEW_EVERY_SECONDS) -> None:
        self._renew = renew
        self._every = every
        self._held: set[uuid.UUID] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def held(self) -> list[uuid.UUID]:
        """The tokens of what is being worked at now."""
        with self._lock:
            return list(self._held)

    @contextmanager
    def holding(self, token: uuid.UUID) -> Iterator[None]:
        """The lease does not run out inside the block."""
        with self._lock:
            self._held.add(token)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="leases", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._held.discard(token)

    def _run(self) -> None:
        try:
            while True:
                self._wake.wait(self._every)
                with self._lock:
                    tokens = list(self._held)
                    if not tokens:
                        self._thread = None
                        return
                try:
                    self._renew(tokens)
                except Exception:  # the database may be away: the leases run out and somebody else does it
                    LOG.exception("leases_not_renewed", leases=len(tokens))
                    connection.close()
        finally:
            connection.close()


READINGS = Keeper(work.renew)
BATCHES = Keeper(embeddings.renew)


def give_back() -> int:
    """Let others take at once what this process works at; it ends before it is done. Returns how many items."""
    return work.give_back(READINGS.held) + embeddings.give_back(BATCHES.held)
