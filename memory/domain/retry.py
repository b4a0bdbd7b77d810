"""When a reading that failed is tried again, and when it is given up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Failure(StrEnum):
    """What kind of failure it was."""

    OUTAGE = "outage"  # the provider is down, slow or asks for a rest: not the chat's fault
    NONSENSE = "nonsense"  # it answered, but unusably
    SETTINGS = "settings"  # only the operator can mend it
    REFUSED = "refused"  # the provider calls the request wrong
    CRASH = "crash"  # our own fault, or the worker died


OUTAGE_PATIENCE = timedelta(hours=24)
OUTAGE_FIRST, OUTAGE_LONGEST = 5.0, 600.0
CONTENT_FIRST, CONTENT_LONGEST = 30.0, 3600.0
SETTINGS_TRIES = 3
JITTER = 0.25


@dataclass(frozen=True)
class Tries:
    """What the item went through before this failure."""

    attempts: int
    outages: int
    first_failed_at: datetime | None


@dataclass(frozen=True)
class Decision:
    """Try again at `at`, or give up (`at` is None). `attempts` and `outages` are the counts from now on."""

    at: datetime | None
    attempts: int
    outages: int


def decide(
    failure: Failure,
    tries: Tries,
    *,
    now: datetime,
    max_attempts: int,
    retry_after: float | None,
    dice: float,
) -> Decision:
    """`dice` in [0, 1) spreads retries; `retry_after` is what the provider asked for, in seconds.

    An outage is waited out for a day, whatever the count of calls; a fault of content, settings or code is
    tried a few times.
    """
    if failure is Failure.OUTAGE:
        outages = tries.outages + 1
        if tries.first_failed_at is not None and now - tries.first_failed_at > OUTAGE_PATIENCE:
            return Decision(None, tries.attempts, outages)
        wait = min(OUTAGE_LONGEST, OUTAGE_FIRST * 2 ** min(tries.outages, 10))
        if retry_after is not None:
            wait = retry_after
        return Decision(_later(now, wait, dice), tries.attempts, outages)
    attempts = tries.attempts + 1
    most = {Failure.REFUSED: 1, Failure.SETTINGS: min(SETTINGS_TRIES, max_attempts)}.get(failure, max_attempts)
    if attempts >= most:
        return Decision(None, attempts, tries.outages)
    wait = min(CONTENT_LONGEST, CONTENT_FIRST * 4 ** min(attempts - 1, 6))
    return Decision(_later(now, wait, dice), attempts, tries.outages)


def _later(now: datetime, seconds: float, dice: float) -> datetime:
    """Never earlier than asked: jitter only adds."""
    return now + timedelta(seconds=seconds * (1.0 + JITTER * dice))
