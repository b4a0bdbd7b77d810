"""A database that is away, and what only looks like it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from django.db import DatabaseError, connection

from caesar.api import errors
from caesar.chat.db import run_in_db
from caesar.chat.errors import DatabaseAway
from caesar.outage import is_outage

GIVEN_UP = {
    "in mid-transaction": ("SET LOCAL idle_in_transaction_session_timeout TO 50", 0.3),
    "in a long one": ("SET transaction_timeout TO 50; COMMIT; BEGIN", 0.3),
    "in a long statement": ("SET LOCAL statement_timeout TO 50; SELECT pg_sleep(1)", 0.0),
}
OURS = ["SELECT 1 / 0", "SELECT nonsense", "SELECT 'x'::int"]


def job(statement: str, pause: float = 0.0) -> None:
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(statement)
        time.sleep(pause)
        cursor.execute("SELECT 1")


def failed(statement: str, pause: float = 0.0) -> DatabaseError:
    try:
        with pytest.raises(DatabaseError) as caught:
            job(statement, pause)
        return caught.value
    finally:
        connection.close()


@pytest.mark.parametrize("case", GIVEN_UP)
def test_it_knows_a_session_that_the_server_gave_up(database: Any, case: str) -> None:
    error = failed(*GIVEN_UP[case])
    assert is_outage(error)
    answer = errors.exception_handler(error, {})
    assert answer is not None
    assert (answer.status_code, answer.data["error"]["code"]) == (503, "database_unavailable")
    with pytest.raises(DatabaseAway):
        asyncio.run(run_in_db(job, *GIVEN_UP[case]))


@pytest.mark.parametrize("statement", OURS)
def test_it_does_not_take_a_mistake_for_an_outage(database: Any, statement: str) -> None:
    error = failed(statement)
    assert not is_outage(error)
    assert errors.exception_handler(error, {}) is None
    with pytest.raises(DatabaseError):
        asyncio.run(run_in_db(job, statement))
