"""A value of the past becomes what holds again."""

from __future__ import annotations

import uuid
from typing import Any

from memory import audit, sensitive
from memory.db import profile_scope
from memory.domain.types import Cardinality, Op
from memory.errors import Conflict
from memory.facts import rows
from memory.facts.locking import lock, now_of
from memory.models import Event, Fact, FactState


def revert(*, profile_id: uuid.UUID, fact_id: uuid.UUID, version: int | None = None, actor: str = "person") -> Fact:
    """Let a row of the history hold again, as the person's own word; what holds instead becomes history.

    Raises NotFound; InvalidInput where its value is of a class that is never kept by now; Conflict where it is no
    history, where its value holds already, or for another `version`.
    """
    sensitive.check_own_words(profile_id=profile_id, fact_id=fact_id, actor=actor)
    with profile_scope(profile_id):
        lock(profile_id)
        fact = rows.locked(profile_id, fact_id, version)
        past = fact.state in (FactState.SUPERSEDED, FactState.RETRACTED)
        if not past or fact.op == Op.RETRACT:
            raise Conflict("Only a value that held before can be brought back.")
        now = now_of(profile_id)
        closed = _stand_instead(fact)
        rows.close(closed, state=FactState.SUPERSEDED, at=now, by=fact.id)
        fact.state, fact.valid_to, fact.superseded_by = FactState.CURRENT, None, None
        fact.said_at = fact.valid_from = fact.last_confirmed_at = now
        fact.pinned, fact.version = True, fact.version + 1
        fact.edit_count = max(fact.edit_count, *(row.edit_count for row in closed), 0) + 1
        if fact.expires_at is not None and fact.expires_at <= now:
            fact.expires_at = None
        fact.reasons = []
        fact.save()
        folded = rows.fold_waiting(fact, now)
        rows.forgive(fact)
        payload: dict[str, Any] = {"fact_id": str(fact.id), "key": fact.key, "value": fact.value}
        if closed:
            payload["old"] = rows.mentioned(closed)
        payload |= rows.named(folded)
        audit.record(audit.Entry(Event.FACT_REVERTED, profile_id, payload, actor, space_id=fact.space_id))
    return fact


def _stand_instead(fact: Fact) -> list[Fact]:
    """What has to give way: the one value of the key; of many, the one that this value became."""
    fact.cardinality = rows.kind_of(fact)
    held = rows.held(fact.profile_id, fact.key, fact.space_id, fact.value_norm, but=fact.id)
    if any(row.value_norm == fact.value_norm for row in held):
        raise Conflict("It holds already.")
    if fact.cardinality == Cardinality.ONE:
        return held
    heir = fact.superseded_by
    for _ in range(100):
        if heir is None or heir.state != FactState.SUPERSEDED:
            break
        heir = heir.superseded_by
    if heir is None or heir.state != FactState.CURRENT:
        return []
    return [Fact.objects.select_for_update().get(id=heir.id)]
