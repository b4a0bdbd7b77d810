"""The chat's only way to the database: a few threads, each of which gives its connection back after each job."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

import structlog
from django.db import connection

from caesar.chat.errors import DatabaseAway
from caesar.outage import is_outage

LOG = structlog.get_logger(__name__)
THREADS = 8
# Whoever waits in the queue for longer is told to come again.
WAIT_SECONDS = 15.0

P = ParamSpec("P")
T = TypeVar("T")
_executor = ThreadPoolExecutor(THREADS, thread_name_prefix="chat-db")


async def run_in_db(job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a job that uses the ORM. Raises DatabaseAway where the database is not there or too busy."""
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            return await run_to_the_end(job, *args, **kwargs)
    except TimeoutError:
        LOG.error("database_busy", waited_seconds=WAIT_SECONDS)
        raise DatabaseAway from None


async def run_to_the_end(job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same without giving up: for what must be known to be written or not."""
    loop = asyncio.get_running_loop()
    context = contextvars.copy_context()
    return await loop.run_in_executor(_executor, context.run, _run, partial(job, *args, **kwargs))


def _run(job: Callable[[], T]) -> T:
    try:
        return job()
    except Exception as error:
        if not is_outage(error):
            raise
        LOG.error("database_unavailable", reason=str(error).strip().partition("\n")[0])
        raise DatabaseAway from error
    finally:
        connection.close()


def shut_down() -> None:
    _executor.shutdown(wait=True, cancel_futures=True)
