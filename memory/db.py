"""Whose rows a transaction may see. Every read and write of memory happens inside one of these scopes.

Each opens a transaction, takes a role under row-level security for its length, and names the profile (or
user) that the policies compare with. Outside of a scope the tables look empty.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import connection, transaction

APP, CLAIM, OPERATOR = "caesar_app", "caesar_claim", "caesar_operator"


@contextmanager
def profile_scope(profile_id: uuid.UUID | str) -> Iterator[None]:
    """One person's rows, nothing else."""
    with _scope(APP, profile=str(profile_id)):
        yield


@contextmanager
def moment_scope(profile_id: uuid.UUID) -> Iterator[None]:
    """One person's rows as they are at one moment, however long they are read, to be read alone."""
    with _scope(APP, profile=str(profile_id), first="SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"):
        yield


@contextmanager
def user_scope(user_id: int) -> Iterator[None]:
    """The profiles, spaces and keys of one user; no rows of their memory."""
    with _scope(APP, user=str(user_id)):
        yield


@contextmanager
def claim_scope() -> Iterator[None]:
    """Which work waits, over all profiles, without the text of any chat."""
    with _scope(CLAIM):
        yield


@contextmanager
def operator_scope() -> Iterator[None]:
    """Everything: the operator's admin and upkeep."""
    with _scope(OPERATOR):
        yield


@contextmanager
def upkeep_scope(profile_id: uuid.UUID | None) -> Iterator[None]:
    """Everything, with one profile named (None: nobody's rows): what only upkeep may do to that profile's log."""
    with _scope(OPERATOR, profile=str(profile_id or "")):
        yield


@contextmanager
def _scope(role: str, *, profile: str = "", user: str = "", first: str = "") -> Iterator[None]:
    wanted = (role, profile, user)
    held = getattr(connection, "caesar_scope", None)
    if held is not None:
        if held != wanted:
            raise RuntimeError(f"a transaction in the scope {held} cannot open the scope {wanted}")
        with transaction.atomic():
            yield
        return
    with transaction.atomic(durable=True):
        connection.caesar_scope = wanted  # type: ignore[attr-defined]
        try:
            with connection.cursor() as cursor:
                if first:
                    cursor.execute(first)
                cursor.execute(
                    "SELECT set_config('role', %s, true), set_config('caesar.profile_id', %s, true),"
                    " set_config('caesar.user_id', %s, true)",
                    wanted,
                )
            yield
        finally:
            connection.caesar_scope = None  # type: ignore[attr-defined]


def now() -> datetime:
    """The time of the database, by which work is scheduled: the clocks of hosts differ, and are set back at times."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        at: datetime = cursor.fetchone()[0]
    return at
