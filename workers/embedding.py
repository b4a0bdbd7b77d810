"""The task that makes vectors: a payload-free wake-up, as those in `workers.tasks`."""

from __future__ import annotations

import threading

import structlog
from celery import shared_task

from memory import embed, embeddings, identities, passages
from memory.errors import ModelError
from workers import draining, wake_ups

LOG = structlog.get_logger(__name__)
MOST_BATCHES = 20  # of one wake-up; then others of this queue have their turn
# Batches are wide and a model in this process uses what cores there are: a second one beside it gains nothing.
_busy = threading.Lock()


@shared_task(name="caesar.embed", queue="embed", ignore_result=True)
def embed_due() -> None:
    """Cut new chats into passages, make the vectors that wait, then those of an embedder that is being built.

    A bounded number of batches; a wake-up follows where more is left.
    """
    if not _busy.acquire(blocking=False):
        return
    try:
        more = _run(MOST_BATCHES)
    finally:
        _busy.release()
    if more:
        wake()


def drain() -> int:
    """Make all vectors that are due, in this process. Returns how many texts were taken."""
    passages.index_due()
    done = 0
    try:
        kept = embed.ready()
        while taken := embed.work_off(kept):
            done += taken
        while kept.building and (taken := embed.build(kept.building)):
            done += taken
    except ModelError as error:
        LOG.warning("no_usable_embedder", reason=str(error))
    return done


def wake() -> None:
    """Say that there is something to embed, where there is."""
    if embeddings.due() or identities.kept().building is not None:
        wake_ups.send(embed_due)


def _run(batches: int) -> bool:
    """True where there may be more."""
    passages.index_due()
    try:
        kept = embed.ready()
        for _ in range(batches):
            if draining.ENDING.is_set():
                return False
            if embed.work_off(kept) == 0:
                break
        else:
            return True
        if kept.building is not None:
            return all(not draining.ENDING.is_set() and embed.build(kept.building) for _ in range(batches))
        identities.sweep()
    except ModelError as error:
        LOG.warning("no_usable_embedder", reason=str(error))
    return False
