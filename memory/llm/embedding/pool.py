"""A few threads of its own, and a few calls that may wait for one."""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable

LOG = logging.getLogger(__name__)


class Pool:
    """Runs calls in at most `threads` daemon threads. Never makes a caller wait, nor the end of the process.

    The standard executor would do both: its queue has no end, and a process that ends waits for its threads, also
    for one that hangs.
    """

    def __init__(self, name: str, *, threads: int, waiting: int) -> None:
        self._name = name
        self._threads = threads
        self._waiting = waiting
        self._lock = threading.Lock()
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._owner = os.getpid()
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._started = 0
        self._open = 0  # calls that run or wait

    def submit(self, call: Callable[[], None]) -> bool:
        """Take the call, or say False where too many wait already. The call must not raise."""
        with self._lock:
            if self._owner != os.getpid():  # a forked child has the object but not the threads
                self._start_afresh()
            if self._open >= self._threads + self._waiting:
                return False
            self._open += 1
            if self._started < min(self._threads, self._open):
                self._started += 1
                threading.Thread(target=self._run, name=f"{self._name}-{self._started}", daemon=True).start()
        self._calls.put(call)
        return True

    def _run(self) -> None:
        while True:
            call = self._calls.get()
            try:
                call()
            except Exception:
                LOG.exception("a call in the pool %s raised", self._name)
            finally:
                with self._lock:
                    self._open -= 1
