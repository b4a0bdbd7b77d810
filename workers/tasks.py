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

from memory import ask_model, cursor, erase, imports, purge, reading, work
from memory.errors import ModelError
from memory.llm import library
from memory.models import WorkKind
from workers import draining, embedding, reporting, wake_ups

LOG = structlog.get_logger(__name__)
MOST_WAKE_UPS = wake_ups.MOST_WAITING
assert reporting  # tells who works here
# The profile served last with each kind, shared by the threads of this process: so they spread over profiles instead
# of all waiting for the facts of one.
_served = dict.fromkeys(WorkKind, work.FIRST)


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
        if not all(ask_model.route(kind).is_rule_based for kind in WorkKind if cursor.enabled(kind)):
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
    cursor.tick(*cursor.ripe())
    erase.resume()
    wake_all()  # last: where the broker is away, the rest is done


@shared_task(name="caesar.look", queue="maintenance", ignore_result=True)
def look() -> None:
    """Turn finished chats into work now, for somebody who waits, whatever the intervals say."""
    cursor.tick(*filter(cursor.enabled, WorkKind))
    wake_all()


@shared_task(name="caesar.recover", queue="maintenance", ignore_result=True)
def recover() -> None:
    """Give back what dead workers held, let imported chats through, and wake up for what became due."""
    work.release_expired()
    imports.release()
    wake_all()


@shared_task(name="caesar.upkeep", queue="maintenance", ignore_result=True)
def upkeep() -> None:
    """Purge what was deleted long enough ago, and close what has expired. What is left waits for the next time."""
    expired, purged = purge.expire_due(), purge.purge_due()
    if expired or purged:
        LOG.info("upkeep", expired=expired, purged=purged)


@shared_task(name="caesar.extract", queue="extract", ignore_result=True)
def extract_due() -> None:
    """Read what is due for facts (and summaries, where one call serves both)."""
    _work_off(WorkKind.EXTRACT)


@shared_task(name="caesar.summarise", queue="summarise", ignore_result=True)
def summarise_due() -> None:
    """Summarise what is due."""
    _work_off(WorkKind.SUMMARISE)


WAKE_UPS = {WorkKind.EXTRACT: extract_due, WorkKind.SUMMARISE: summarise_due}


def _work_off(kind: WorkKind) -> None:
    """Work off what is due, a bounded number of conversations at a time."""
    with SLOTS.one() as free:
        if not free:
            return  # as many as may are at it, and each looks for more when it is done
        for _ in range(cursor.settings_of(kind).batch_size):
            if draining.ENDING.is_set() or not work_next(kind):
                return
    # Two: one that comes to a worker with no slot left is void, and another host may have some.
    wake(kind, most=2)


def work_next(kind: WorkKind) -> bool:
    """Read the next due conversation. False: nothing is due or wanted, or the model asked for a rest."""
    if not cursor.enabled(kind):
        return False
    with reading.FEW:
        claim = work.claim(
            kind,
            worker=name(),
            route=ask_model.route_name(kind),
            after=_served[kind],
            together=ask_model.in_one_call(),
        )
    if claim is None:
        return False
    _served[kind] = claim.profile_id
    reading.work_off(claim)
    return True


def wake_all() -> None:
    """Wake-ups for all that is due. Where one call serves both kinds, few look for summaries that are left alone."""
    woken = wake(WorkKind.EXTRACT)
    wake(WorkKind.SUMMARISE, taken_along=woken if ask_model.in_one_call() else 0)


def wake(kind: WorkKind, *, most: int = MOST_WAKE_UPS, taken_along: int = 0) -> int:
    """One wake-up for each item that is due, up to a bound; none for work that is switched off."""
    if not cursor.enabled(kind):
        return 0
    due = work.due(kind, most=most)
    wake_ups.send(WAKE_UPS[kind], most=max(due - taken_along, min(due, 1)))
    return due


def _read_all() -> int:
    """Read all that is due. Returns how many claims were worked off."""
    done = 0
    for kind in WorkKind:
        while work_next(kind):
            done += 1
    return done


def drain() -> int:
    """Do all that is due in this process: every poll, then every item. Returns how many claims were worked off."""
    work.release_expired()
    upkeep()
    cursor.tick(*filter(cursor.enabled, WorkKind))
    done = _read_all()
    while imports.release():
        done += _read_all()
    erase.resume()
    embedding.drain()
    return done
