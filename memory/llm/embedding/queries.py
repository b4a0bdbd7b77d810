"""The vector of a question, in time or not at all."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import structlog

from memory.errors import ModelError
from memory.llm.embedding.breaker import Breaker
from memory.llm.embedding.pool import Pool

LOG = structlog.get_logger(__name__)

REMEMBERED = 1024  # questions; 1.6 MB of vectors with 384 numbers
FAILURES_IN_A_ROW = 3
COOL_OFF_SECONDS = 10.0
LONGEST_PAUSE_SECONDS = 300.0


class _Flight:
    """One computation, and all who wait for it."""

    def __init__(self) -> None:
        self.landed = threading.Event()
        self.vector: np.ndarray | None = None
        self.was_late = False


class Queries:
    """Questions to one embedder. Thread-safe; raises nothing and waits no longer than it is told to.

    compute: the vector of a text; raises ModelError. It runs in at most `lanes` threads of this object's own. What it
    finds too late for who asked is there for who asks the same later.
    """

    def __init__(self, name: str, compute: Callable[[str], np.ndarray], *, lanes: int) -> None:
        self._name = name
        self._compute = compute
        self._pool = Pool("embed-query", threads=lanes, waiting=8 * lanes)
        self._breaker = Breaker(limit=FAILURES_IN_A_ROW, cool_off_seconds=COOL_OFF_SECONDS)
        self._lock = threading.Lock()
        self._cache: OrderedDict[bytes, np.ndarray] = OrderedDict()
        self._flights: dict[bytes, _Flight] = {}
        self._counts: Counter[str] = Counter()

    @property
    def paused(self) -> bool:
        """Whether nobody asks the embedder at present because it did not answer."""
        return self._breaker.is_open

    def counts(self) -> Mapping[str, int]:
        """How questions ended: cached, computed, joined, late, failed, paused, busy."""
        with self._lock:
            return dict(self._counts)

    def remembered(self, text: str) -> np.ndarray | None:
        """The vector, where the question was asked before."""
        key = self._key(text)
        with self._lock:
            found = self._cache.get(key)
            if found is not None:
                self._cache.move_to_end(key)
                self._counts["cached"] += 1
            return found

    def ask(self, text: str, deadline: float) -> np.ndarray | None:
        """The vector (float32, read-only), or None at `deadline` (as `time.monotonic()` counts) at the latest."""
        key = self._key(text)
        if not self._breaker.allows():
            self._count("paused")
            return None
        flight = self._flight(key, text)
        if flight is None:
            # No failure: where they hang instead, whoever waits for them is late and says so.
            self._count("busy")
            return None
        if not flight.landed.wait(max(0.0, deadline - time.monotonic())):
            self._late(flight)
        return flight.vector

    def _flight(self, key: bytes, text: str) -> _Flight | None:
        """The computation that goes on already, or a new one; None where all threads are busy."""
        with self._lock:
            if key in self._flights:
                self._counts["joined"] += 1
                return self._flights[key]
            flight = _Flight()
            if not self._pool.submit(partial(self._fly, key, text, flight)):
                return None
            self._flights[key] = flight
            self._counts["computed"] += 1
            return flight

    def _fly(self, key: bytes, text: str, flight: _Flight) -> None:
        try:
            vector = self._compute(text)
            vector.setflags(write=False)
            with self._lock:
                self._cache[key] = vector
                while len(self._cache) > REMEMBERED:
                    self._cache.popitem(last=False)
            flight.vector = vector
            # Late, it only proves that the embedder answers, not that it does in time.
            if not flight.was_late and self._breaker.succeeded():
                LOG.info("query_embedding_resumed", embedder=self._name)
        except ModelError as error:
            self._count("failed")
            self._failed(str(error), pause_seconds=error.retry_after)
        except Exception:
            self._count("failed")
            LOG.exception("query_embedding_failed", embedder=self._name)
            self._failed("an error of its own")
        finally:
            with self._lock:
                self._flights.pop(key, None)
            flight.landed.set()

    def _late(self, flight: _Flight) -> None:
        """Nobody waits any longer. However many did, it is one failure."""
        with self._lock:
            self._counts["late"] += 1
            first = not flight.was_late and not flight.landed.is_set()
            flight.was_late = True
        if first:
            self._failed("it did not answer in time")

    def _failed(self, reason: str, *, pause_seconds: float | None = None) -> None:
        pause = None if pause_seconds is None else min(pause_seconds, LONGEST_PAUSE_SECONDS)
        if self._breaker.failed(pause_seconds=pause):
            LOG.warning("query_embedding_paused", embedder=self._name, reason=reason)

    def _count(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1

    def _key(self, text: str) -> bytes:
        return hashlib.blake2b(f"{self._name}\0{text}".encode(), digest_size=16).digest()
