"""Deleting, and taking it back: gone from every read at once, undoable for a while, then purged."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from memory import audit, bulk
from memory.config import conf
from memory.db import profile_scope
from memory.domain.closing import with_history
from memory.domain.known import Value
from memory.domain.types import Cardinality, Op
from memory.errors import Conflict, NotFound
from memory.facts import rows
from memory.facts.locking import lock, now_of
from memory.facts.quoting import mask_beside
from memory.models import Event, Fact, FactState, Tombstone, TombstoneKind


def delete(*, profile_id: uuid.UUID, fact_id: uuid.UUID, actor: str = "person") -> None:
    """Take a fact, and the history that led to it, out of every read; it does not come back silently.

    Of what holds no longer only that value goes. Raises NotFound.
    """
    with profile_scope(profile_id):
        lock(profile_id)
        remove(rows.locked(profile_id, fact_id), actor=actor)


def remove(fact: Fact, *, actor: str, alone: bool = False) -> list[Fact]:
    """Delete one fact, with its audit row; `alone` without the history that led to it.

    Returns all rows that went. Call inside the scope, under `lock`.
    """
    now = now_of(fact.profile_id)
    gone, values = _goes(fact, alone)
    for row in gone:
        mark_deleted(row, now)
    bulk.update(gone, DELETION)
    bulk.update(mask_beside(fact.profile_id, gone), ("quote",))
    rows.bury(fact.profile_id, dict.fromkeys(values, now))
    if fact.op == Op.RETRACT:
        rows.answer(fact, TombstoneKind.DELETED, now)
    payload: dict[str, Any] = {"fact_id": str(fact.id), "key": fact.key}
    if len(gone) > 1:
        payload["with"] = sorted(str(row.id) for row in gone if row.id != fact.id)
    audit.record(audit.Entry(Event.FACT_USER_DELETED, fact.profile_id, payload, actor, space_id=fact.space_id))
    return gone


DELETION = ("state", "was_state", "deleted_at", "version")


def mark_deleted(row: Fact, now: datetime) -> None:
    """Set what says so; the caller saves the columns of DELETION."""
    row.was_state, row.state = row.state, FactState.DELETED
    row.deleted_at, row.version = now, row.version + 1


def _goes(fact: Fact, alone: bool) -> tuple[list[Fact], set[Value]]:
    """The rows that go with a fact, and the values that must not come back."""
    about = Q(key=fact.key) if fact.key is not None else Q(key__isnull=True, value_norm=fact.value_norm)
    about = (about & Q(space_id=fact.space_id)) | Q(superseded_by=fact)
    found = Fact.objects.filter(about, profile_id=fact.profile_id)
    there = {row.id: row for row in found.exclude(state=FactState.DELETED).order_by("id").select_for_update()}
    seen = {row_id: rows.known(row) for row_id, row in there.items()}
    gone = [seen[fact.id]] if alone else with_history([seen[fact.id]], list(seen.values()))
    ids = {each.id for each in gone}
    held = {each.slot[1:] for each in seen.values() if each.state == FactState.CURRENT and each.id not in ids}
    return [there[row_id] for row_id in sorted(ids)], {each.slot[1:] for each in gone if not each.closes} - held


def undelete(*, profile_id: uuid.UUID, fact_id: uuid.UUID, actor: str = "person") -> Fact:
    """Take a deletion back, with everything that it took along.

    Where another value holds by now, the fact becomes history. Raises NotFound; Conflict where it is not deleted
    or the time for it is over.
    """
    with profile_scope(profile_id):
        lock(profile_id)
        fact = Fact.objects.select_for_update().filter(profile_id=profile_id, id=fact_id).first()
        if fact is None:
            raise NotFound("There is no such fact.")
        if fact.state != FactState.DELETED or fact.deleted_at is None:
            raise Conflict("It is not deleted.")
        now = now_of(profile_id)
        if not fact.value or not fact.was_state or fact.deleted_at <= now - undo_time():
            raise Conflict("It was deleted too long ago to be taken back.")
        together = Fact.objects.select_for_update().filter(profile_id=profile_id, deleted_at=fact.deleted_at)
        back = list(together.filter(state=FactState.DELETED).order_by("id"))
        _forgive(profile_id, back)
        folded = []
        for row in sorted(back, key=lambda row: row.was_state == FactState.CURRENT):
            folded += _restore(row, now)
        payload = {"fact_id": str(fact.id), "key": fact.key, "undeleted": [str(row.id) for row in back]}
        payload |= rows.named(folded)
        audit.record(audit.Entry(Event.FACT_REVERTED, profile_id, payload, actor, space_id=fact.space_id))
        fact.refresh_from_db()
    return fact


def undo_time() -> timedelta:
    """How long a deletion can be taken back."""
    return timedelta(hours=conf().memory.undo_hours)


def _restore(row: Fact, now: datetime) -> list[Fact]:
    """Put a row back where it was. Returns the proposals that said the same meanwhile."""
    row.state, row.was_state, row.version = FactState(row.was_state), "", row.version + 1
    deleted_at, row.deleted_at = row.deleted_at, None
    if row.state == FactState.CURRENT:
        row.cardinality = rows.kind_of(row)
        held = rows.held(row.profile_id, row.key, row.space_id, row.value_norm, but=row.id)
        if row.cardinality == Cardinality.MANY:
            held = [other for other in held if other.value_norm == row.value_norm]
        if held:
            row.state, row.valid_to, row.superseded_by_id = FactState.SUPERSEDED, deleted_at, held[0].id
    row.save()
    if row.state in (FactState.CURRENT, FactState.PENDING):
        return rows.fold_waiting(row, now)
    return []


def _forgive(profile_id: uuid.UUID, back: Sequence[Fact]) -> None:
    digests = rows.digests(profile_id, back)
    Tombstone.objects.filter(profile_id=profile_id, digest__in=digests, kind=TombstoneKind.DELETED).delete()
