"""Stops asking something that does not answer, for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Breaker:
    """Closed: all may ask. After `limit` failures in a row it is open: nobody may, for `cool_off_seconds`.

    Then one may try: its success closes the breaker, its failure opens it anew.
    """

    def __init__(self, *, limit: int, cool_off_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._cool_off = cool_off_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._until: float | None = None

    @property
    def is_open(self) -> bool:
        return self._until is not None

    def allows(self) -> bool:
        """Whether to ask now. Who is let through while it is open is the one that tries: it must report."""
        with self._lock:
            if self._until is None:
                return True
            if self._clock() < self._until:
                return False
            self._until = self._clock() + self._cool_off
            return True

    def failed(self, *, pause_seconds: float | None = None) -> bool:
        """Count a failure; True where this one opened the breaker.

        pause_seconds: how long whoever failed wants to be left alone; opens it at once.
        """
        with self._lock:
            was_open = self._until is not None
            self._failures += 1
            if was_open or pause_seconds is not None or self._failures >= self._limit:
                self._until = self._clock() + max(self._cool_off, pause_seconds or 0.0)
                return not was_open
            return False

    def succeeded(self) -> bool:
        """Forget failures; True where this closed the breaker."""
        with self._lock:
            was_open = self._until is not None
            self._failures, self._until = 0, None
            return was_open
