"""Guessing is slow: after ten wrong tries an address waits. Counted in the audit log, so a restart forgets nothing."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from memory import audit
from memory.db import operator_scope
from memory.models import AuditLog, Event

MOST_FAILURES = 10
WINDOW = timedelta(minutes=15)
LOCKED = "Too many wrong tries from this address. Wait a quarter of an hour, or use a one-time link."


def locked(address: str) -> bool:
    """Whether this address has used up its tries."""
    with operator_scope():
        failures = AuditLog.objects.filter(
            profile__isnull=True,
            event_type=Event.AUTH_FAILED,
            at__gt=Now() - WINDOW,
            payload__address=address,
            payload__door="password",
        )
        return len(failures.values_list("id")[:MOST_FAILURES]) >= MOST_FAILURES


def failed(address: str, door: str) -> None:
    """Write a wrong try down. `door` is password (guessing counts) or link."""
    with operator_scope():
        audit.record(audit.Entry(Event.AUTH_FAILED, None, {"address": address[:100], "door": door}))
