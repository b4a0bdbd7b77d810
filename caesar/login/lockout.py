"""Guessing is slow: after ten wrong tries an address waits. Counted in the audit log, so a restart forgets nothing."""

from __future__ import annotations

import ipaddress
from datetime import timedelta

from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from memory import audit
from memory.db import operator_scope
from memory.models import AuditLog, Event

MOST_FAILURES = 10
WINDOW = timedelta(minutes=15)
LOCKED = gettext_lazy("Too many wrong tries from this address. Wait a quarter of an hour, or use a one-time link.")


def locked(address: str) -> bool:
    """Whether this address has used up its tries."""
    with operator_scope():
        failures = AuditLog.objects.filter(
            profile__isnull=True,
            event_type=Event.AUTH_FAILED,
            at__gt=Now() - WINDOW,
            payload__address=_network(address),
            payload__door="password",
        )
        return len(failures.values_list("id")[:MOST_FAILURES]) >= MOST_FAILURES


def failed(address: str, door: str) -> None:
    """Write a wrong try down. `door` is password (guessing counts) or link."""
    with operator_scope():
        audit.record(audit.Entry(Event.AUTH_FAILED, None, {"address": _network(address), "door": door}))


def _network(address: str) -> str:
    """Whoever has one IPv6 address has the 2^64 beside it too: they count as one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:100]
    if found.version == 4 or found.is_loopback:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False))
