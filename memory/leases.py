"""Keeps the leases of what this process reads while models take their time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.db import connection

from memory import work

LOG = structlog.get_logger(__name__)


class Keeper:
    """One thread that renews all held claims, alive only while there are some."""

    def __init__(self, *, every: float = work.RENEW_EVERY_SECONDS) -> None:
        self._every = every
        self._held: dict[object, work.Claim] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def holding(self, claim: work.Claim) -> Iterator[None]:
        """The claim's lease does not run out inside the block."""
        with self._lock:
            self._held[claim.token] = claim
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="leases", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(claim.token, None)

    def _run(self) -> None:
        try:
            while True:
                self._wake.wait(self._every)
                with self._lock:
                    claims = list(self._held.values())
                    if not claims:
                        self._thread = None
                        return
                try:
                    work.renew(claims)
                except Exception:  # the database may be away: the leases run out and somebody else reads
                    LOG.exception("leases_not_renewed", claims=len(claims))
                    connection.close()
        finally:
            connection.close()


KEEPER = Keeper()
