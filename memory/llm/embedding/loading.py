"""Loads something once, whoever asks first: at once, or beside what is going on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog

from memory.errors import ModelError

LOG = structlog.get_logger(__name__)
AGAIN_SECONDS = 60.0


class Loading:
    """One load, shared by all threads. What failed is tried again: by `now` at once, by `begin` after a minute."""

    def __init__(self, name: str, load: Callable[[], None]) -> None:
        self._name = name
        self._load = load
        self._lock = threading.Lock()
        self._loading = threading.Lock()
        self._done = threading.Event()
        self._running = False
        self._not_before = 0.0

    @property
    def done(self) -> bool:
        return self._done.is_set()

    def now(self) -> None:
        """Returns when it is loaded. Raises what loading raises, a ModelError."""
        if not self._done.is_set():
            with self._loading:
                if not self._done.is_set():
                    self._load()
                    self._done.set()

    def begin(self) -> None:
        """Have it loaded in a thread of its own, unless that goes on already or failed within the last minute."""
        with self._lock:
            if self._done.is_set() or self._running or time.monotonic() < self._not_before:
                return
            self._running = True
        threading.Thread(target=self._beside, name="load-embedder", daemon=True).start()

    def _beside(self) -> None:
        try:
            self.now()
        except ModelError as error:
            LOG.warning("embedder_not_loaded", embedder=self._name, reason=str(error))
        except Exception:
            LOG.exception("embedder_not_loaded", embedder=self._name)
        finally:
            with self._lock:
                self._running = False
                self._not_before = 0.0 if self._done.is_set() else time.monotonic() + AGAIN_SECONDS
