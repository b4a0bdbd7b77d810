"""Celery tasks: payload-free wake-ups. The table is the queue, so a task that is lost or doubled is harmless."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from celery import shared_task
from celery.signals import worker_init, worker_ready

from memory import cursor, erase, extract, purge, work
from memory.config import conf
from memory.errors import ModelError
from memory.llm import library
from memory.models import WorkKind
from workers import embedding

LOG = structlog.get_logger(__name__)
MOST_WAKE_UPS = 64
# The profile served last, shared by the threads of this process: so they spread over profiles instead of all
# waiting for the facts of one.
_served = work.FIRST


class Slots:
    """How many threads of this process read at once: two stay free, so that ticks and recovery never wait."""

    def __init__(self) -> None:
        self._free = threading.BoundedSemaphore(1)

    def size(self, threads: int) -> None:
        self._free = threading.BoundedSemaphore(max(1, threads - 2))

    @contextmanager
    def one(self) -> Iterator[bool]:
        """True where a slot was free."""
        free = self._free
        got = free.acquire(blocking=False)
        try:
            yield got
        finally:
            if got:
                free.release()


SLOTS = Slots()


@worker_init.connect
def _size(sender: Any, **_: Any) -> None:
    SLOTS.size(int(sender.concurrency or 1))


@worker_ready.connect
def _ready(sender: Any, **_: Any) -> None:
    LOG.info("worker_ready", name=sender.hostname)
    # It takes seconds to import: better now than with the first chat that waits.
    threading.Thread(target=_load_library, name="litellm", daemon=True).start()


def _load_library() -> None:
    try:
        if not extract.route().is_rule_based:
            library.load()
    except ModelError as error:  # each reading will say so too
        LOG.warning("no_usable_model", reason=str(error))


def name() -> str:
    """How this worker is called in the rows that it holds."""
    return f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident() % 10_000}"


@shared_task(name="caesar.tick", queue="maintenance", ignore_result=True)
def tick() -> None:
    """Turn finished chats into work and wake the workers up; finish what was broken off."""
    work.release_expired()
    if cursor.enabled(WorkKind.EXTRACT):
        cursor.tick(WorkKind.EXTRACT)
    erase.resume()
    wake(WorkKind.EXTRACT)  # last: where the broker is away, the rest is done


@shared_task(name="caesar.recover", queue="maintenance", ignore_result=True)
def recover() -> None:
    """Give back what dead workers held, and wake up for what became due."""
    work.release_expired()
    wake(WorkKind.EXTRACT)


@shared_task(name="caesar.upkeep", queue="maintenance", ignore_result=True)
def upkeep() -> None:
    """Purge what was deleted long enough ago, and close what has expired. What is left waits for the next time."""
    expired, purged = purge.expire_due(), purge.purge_due()
    if expired or purged:
        LOG.info("upkeep", expired=expired, purged=purged)


@shared_task(name="caesar.extract", queue="extract", ignore_result=True)
def extract_due() -> None:
    """Work off what is due, a bounded number of conversations at a time."""
    with SLOTS.one() as free:
        if not free:
            return  # as many as may are at it, and each looks for more when it is done
        for _ in range(conf().memory.facts_extract.batch_size):
            if not extract_next():
                return
    wake(WorkKind.EXTRACT, most=1)


def extract_next() -> bool:
    """Read the next due conversation. False: nothing is due or wanted, or the model asked for a rest."""
    if not cursor.enabled(WorkKind.EXTRACT):
        return False
    global _served
    after = _served
    with extract.FEW:
        claim = work.claim(WorkKind.EXTRACT, worker=name(), route=extract.route_name(), after=after)
    if claim is None:
        return False
    _served = claim.profile_id
    extract.work_off(claim)
    return True


def wake(kind: WorkKind, *, most: int = MOST_WAKE_UPS) -> int:
    """One wake-up for each conversation that is due, up to a bound; none for work that is switched off."""
    if not cursor.enabled(kind):
        return 0
    due = work.due(kind, most=most)
    expires = conf().memory.facts_extract.interval_seconds + 5
    for _ in range(due):
        extract_due.apply_async(expires=expires)
    return due


def drain() -> int:
    """Do all that is due in this process: every poll, then every item. Returns how many claims were worked off."""
    work.release_expired()
    upkeep()
    done = 0
    if cursor.enabled(WorkKind.EXTRACT):
        cursor.tick(WorkKind.EXTRACT)
        while extract_next():
            done += 1
    erase.resume()
    embedding.drain()
    return done
