"""How long a provider asks us to wait."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Mapping

# Nobody means to be left alone for longer; such a date is a clock that is wrong.
MOST_SECONDS = 24 * 3600.0


def retry_after(headers: Mapping[str, str] | None, *, now: float | None = None) -> float | None:
    """Seconds from now that `Retry-After` asks for, as a number or an HTTP date; None where it says nothing.

    `now` is a time as `time.time()` gives it. OpenAI's `retry-after-ms` goes first: it is the finer one.
    """
    given = {name.lower(): value for name, value in (headers or {}).items()}
    millis = _number(given.get("retry-after-ms"))
    if millis is not None:
        return _bounded(millis / 1000)
    value = given.get("retry-after")
    seconds = _number(value)
    if seconds is not None:
        return _bounded(seconds)
    try:
        at = email.utils.parsedate_to_datetime(value or "")
    except (TypeError, ValueError):
        return None
    return _bounded(at.timestamp() - (time.time() if now is None else now))


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), MOST_SECONDS)
