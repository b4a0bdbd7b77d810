"""One line per outcome."""

from __future__ import annotations

import logging
from typing import Any

import psycopg
import pytest
import redis
import structlog
from django.db import OperationalError, connections
from kombu.exceptions import OperationalError as BrokerAway

from caesar import logs


@pytest.fixture
def written() -> Any:
    """What a log line becomes, whoever writes it."""
    config = logs.django_logging("INFO")["formatters"]["line"]
    formatter = structlog.stdlib.ProcessorFormatter(**{k: v for k, v in config.items() if k != "()"})
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    logger = logging.getLogger("caesar.written")
    logger.addHandler(handler)
    yield lambda: [formatter.format(record) for record in records]
    logger.removeHandler(handler)


def away() -> list[Exception]:
    """How it looks when something is not there."""
    found: list[Exception] = [
        BrokerAway("no broker"),
        redis.ConnectionError("Error 111"),
        ConnectionRefusedError("111"),
    ]
    try:
        psycopg.connect("postgresql://127.0.0.1:1/x")
    except psycopg.OperationalError as error:
        found.append(error)
    return found


@pytest.mark.parametrize("error", away(), ids=lambda e: f"{type(e).__module__}.{type(e).__name__}")
def test_it_tells_in_one_line_that_something_is_away(written: Any, error: Exception) -> None:
    for logger in (structlog.get_logger("caesar.written"), logging.getLogger("caesar.written")):
        try:
            raise error
        except type(error):
            logger.exception("it_failed")
    lines = written()
    assert len(lines) == 2
    for line in lines:
        assert "Traceback" not in line
        assert line.count("\n") == 0
        assert "it_failed" in line
        assert "111" in line or "no broker" in line or "connection" in line


def test_it_shows_where_everything_else_went_wrong(written: Any, database: object) -> None:
    def slow() -> None:
        with connections["default"].cursor() as cursor:
            cursor.execute("SET statement_timeout TO 10")
            try:
                cursor.execute("SELECT pg_sleep(1)")
            finally:
                connections["default"].close()

    for job, kind in ((slow, OperationalError), (lambda: 1 / 0, ZeroDivisionError)):
        try:
            job()
        except kind:
            structlog.get_logger("caesar.written").exception("it_failed")
    assert ["Traceback" in line for line in written()] == [True, True]
