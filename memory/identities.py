"""Under which embedder recall searches, and the change to another one while both stay usable.

The only writer of `embedding_identities`. What the settings name becomes the active embedder at once where there are
no vectors yet; else its vectors are built in the background, and recall goes over to it when all are there.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.db import OperationalError, connection, transaction
from django.db.models.functions import Now
from psycopg.errors import LockNotAvailable

from memory import embeddings
from memory.db import claim_scope, operator_scope
from memory.llm.embedding import Identity
from memory.models import Embedding, EmbeddingIdentity, IdentityState

LOG = structlog.get_logger(__name__)
KEPT_SECONDS = 5.0
# What a process that still searches by the old embedder finds, until it looks again.
RETIRED_STAYS = timedelta(seconds=60)
REMOVED_AT_ONCE = 5_000
PATIENCE = "2s"  # everybody who comes to the table meanwhile waits too
LOCK = 0x63616573  # "caes": one process at a time changes which embedders there are


@dataclass(frozen=True)
class Kept:
    """The embedders whose vectors are kept: what recall searches by, and what is being built."""

    active: Identity | None = None
    building: Identity | None = None

    @property
    def all(self) -> tuple[Identity, ...]:
        return tuple(one for one in (self.active, self.building) if one is not None)


_kept: tuple[float, Kept] = (0.0, Kept())


def kept() -> Kept:
    """The embedders in use, as of a few seconds ago. Call outside of any scope."""
    until, found = _kept
    if until < time.monotonic():
        with claim_scope():
            return _look()
    return found


def _look() -> Kept:
    global _kept
    rows = {row.state: _identity(row) for row in EmbeddingIdentity.objects.exclude(state=IdentityState.RETIRED)}
    found = Kept(rows.get(IdentityState.ACTIVE), rows.get(IdentityState.BUILDING))
    _kept = (time.monotonic() + KEPT_SECONDS, found)
    return found


def _identity(row: EmbeddingIdentity) -> Identity:
    return Identity(row.provider, row.model, row.dim)


def ensure(wanted: Identity) -> Kept:
    """Make the embedder that the settings name the active one, or begin to build its vectors."""
    with operator_scope():
        found = _look()
        if found.active == wanted and found.building is None:
            return found
        _lock()
        rows = {row.name: row for row in EmbeddingIdentity.objects.all()}
        active = next((row for row in rows.values() if row.state == IdentityState.ACTIVE), None)
        for row in rows.values():
            if row.state == IdentityState.BUILDING and row.name != wanted.name:
                _set(row.name, state=IdentityState.RETIRED, activated_at=Now())
        if active is None or not Embedding.objects.exists():
            if active is not None and active.name != wanted.name:
                _set(active.name, state=IdentityState.RETIRED, activated_at=Now())
            _make(wanted, IdentityState.ACTIVE)
            LOG.info("embedder_in_use", embedder=wanted.name)
        elif active.name != wanted.name and (wanted.name not in rows or rows[wanted.name].state != "building"):
            _make(wanted, IdentityState.BUILDING)
            LOG.info("embedder_being_built", embedder=wanted.name, instead_of=active.name)
        return _look()


def _make(wanted: Identity, state: IdentityState) -> None:
    EmbeddingIdentity.objects.update_or_create(
        name=wanted.name,
        defaults={
            "provider": wanted.provider,
            "model": wanted.model,
            "dim": wanted.dim,
            "state": state,
            "done": 0,
            "total": 0,
            "place_kind": "",
            "place_id": None,
            "activated_at": Now() if state is IdentityState.ACTIVE else None,
        },
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT embedding_index(%s, %s)", [wanted.name, wanted.dim])


def _set(name: str, **columns: object) -> None:
    EmbeddingIdentity.objects.filter(name=name).update(**columns)


def _lock() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


def building(name: str) -> EmbeddingIdentity | None:
    """How far the building of an embedder's vectors has come. Call inside the operator's scope."""
    return EmbeddingIdentity.objects.filter(name=name, state=IdentityState.BUILDING).first()


def progress(name: str, *, place_kind: str, place_id: object, done: int, total: int) -> None:
    """Remember how far the building has come."""
    with operator_scope():
        EmbeddingIdentity.objects.filter(name=name, state=IdentityState.BUILDING).update(
            place_kind=place_kind, place_id=place_id, done=done, total=total
        )


def activate(name: str) -> None:
    """Let recall search by what has been built; what it searched by until now is retired."""
    with operator_scope():
        _lock()
        if not EmbeddingIdentity.objects.filter(name=name, state=IdentityState.BUILDING).exists():
            return
        with transaction.atomic():
            EmbeddingIdentity.objects.filter(state=IdentityState.ACTIVE).update(
                state=IdentityState.RETIRED, activated_at=Now()
            )
            _set(name, state=IdentityState.ACTIVE, activated_at=Now())
        embeddings.queue_missing(name)
        _look()
    LOG.info("embedder_in_use", embedder=name)


def sweep() -> int:
    """Remove the vectors of retired embedders, a bounded number at a time. Returns how many went.

    After the last one, what has a vector of that embedder alone waits for one of the embedder in use.
    """
    with operator_scope():
        due = EmbeddingIdentity.objects.filter(
            state=IdentityState.RETIRED, activated_at__lt=Now() - RETIRED_STAYS
        ).first()
        if due is None:
            return 0
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM embeddings WHERE id IN (SELECT id FROM embeddings WHERE identity = %s LIMIT %s)",
                [due.name, REMOVED_AT_ONCE],
            )
            gone = int(cursor.rowcount)
    if gone == 0:
        _forget(due)
    return gone


def _forget(retired: EmbeddingIdentity) -> None:
    """Remove the index of an embedder without vectors, and its name. While others use the table it waits for its turn.

    A transaction of its own: dropping an index asks for the whole table, which deadlocks with whoever already has a
    part of it and wants more.
    """
    with operator_scope():
        if active := _look().active:
            embeddings.queue_missing(active.name)
    try:
        with operator_scope():
            _lock()
            if not EmbeddingIdentity.objects.filter(name=retired.name, state=IdentityState.RETIRED).exists():
                return
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('lock_timeout', %s, true)", [PATIENCE])
                cursor.execute("SELECT embedding_index_drop(%s)", [retired.name])
            retired.delete()
    except OperationalError as error:
        if not isinstance(error.__cause__, LockNotAvailable):
            raise
        LOG.info("index_still_in_use", embedder=retired.name)
