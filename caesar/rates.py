"""How often a key may ask: a bucket for each, in this process, that fills by the minute."""

from __future__ import annotations

import threading
import time
import uuid
from collections import OrderedDict

from django.conf import settings

from caesar.metrics import RATE_LIMITED
from memory.errors import CaesarError

MOST_KEYS = 10_000


class TooManyRequests(CaesarError):
    """The key has used up what it may ask for now. `retry_after` is in seconds."""

    code = "too_many_requests"
    status = 429
    retryable = True

    def __init__(self, per_minute: int, retry_after: float) -> None:
        super().__init__(f"This key may ask {per_minute} times a minute. Try again in {retry_after:.0f} s.")
        self.retry_after = max(1.0, retry_after)


class Buckets:
    """One of `per_minute` drops for each key: a request takes one, and time gives them back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: OrderedDict[uuid.UUID, tuple[float, float]] = OrderedDict()

    def take(self, key: uuid.UUID, per_minute: int) -> float:
        """0 where a drop was there; else the seconds until one will be."""
        now = time.monotonic()
        with self._lock:
            left, at = self._left.get(key, (float(per_minute), now))
            left = min(float(per_minute), left + (now - at) * per_minute / 60)
            taken = left >= 1
            self._left[key] = (left - 1 if taken else left, now)
            self._left.move_to_end(key)
            if len(self._left) > MOST_KEYS:
                self._left.popitem(last=False)
        return 0.0 if taken else (1 - left) * 60 / per_minute


_buckets = Buckets()


def check(key: uuid.UUID) -> None:
    """Count a request of this key. Raises TooManyRequests."""
    per_minute = settings.CAESAR.rate_limit_per_minute
    if per_minute and (wait := _buckets.take(key, per_minute)):
        RATE_LIMITED.inc()
        raise TooManyRequests(per_minute, wait)
