"""Tells a database that is away from a mistake of ours."""

from __future__ import annotations

import psycopg
from django.db import InterfaceError, InternalError, OperationalError
from psycopg.errors import IdleInTransactionSessionTimeout, TransactionTimeout

_AWAY = (
    *(OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError),
    # The server gave up on a session in mid-transaction: this machine slept, or was much too busy.
    *(IdleInTransactionSessionTimeout, TransactionTimeout),
)


def is_outage(error: BaseException | None) -> bool:
    """Whether the database could not be reached, hung up, or is too busy; the same may work in a moment."""
    if isinstance(error, InternalError):
        error = error.__cause__
    return isinstance(error, _AWAY)
