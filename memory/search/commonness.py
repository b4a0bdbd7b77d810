"""Words that are common in a space, remembered: to count who holds them takes longer the more do."""

from __future__ import annotations

import threading
import time
import uuid

from memory.models import OwnerKind

KEPT_SECONDS = 900.0
MOST = 100_000
_lock = threading.Lock()
_kept: dict[tuple[OwnerKind, uuid.UUID, int], tuple[float, int]] = {}


def get(kind: OwnerKind, space_id: uuid.UUID, term: int) -> int:
    """How many held the term some minutes ago; 0 where nobody knows."""
    until, df = _kept.get((kind, space_id, term), (0.0, 0))
    return df if until > time.monotonic() else 0


def keep(kind: OwnerKind, space_id: uuid.UUID, term: int, df: int) -> None:
    """Remember that so many hold it."""
    with _lock:
        if len(_kept) >= MOST:
            _kept.clear()
        _kept[kind, space_id, term] = (time.monotonic() + KEPT_SECONDS, df)


def forget() -> None:
    """Count anew."""
    with _lock:
        _kept.clear()
