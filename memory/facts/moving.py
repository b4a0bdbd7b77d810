"""What becomes of the facts of a space that is removed. Call all of it inside the scope, under `lock`."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from memory import audit
from memory.domain.types import Cardinality, Op
from memory.facts import deleting, rows
from memory.facts.locking import now_of
from memory.models import Event, Fact, FactState

OPEN = (FactState.CURRENT, FactState.PENDING)
SPACE_REMOVED = "space_removed"  # the reason on what held in a space that is gone, where the profile says otherwise


def in_space(*, profile_id: uuid.UUID, space_id: uuid.UUID, most: int) -> list[Fact]:
    """What holds or waits in a space, at most so many; what held first, in the order of saying."""
    found = Fact.objects.filter(profile_id=profile_id, space_id=space_id, state__in=OPEN)
    return list(found.order_by("state", "said_at", "id").select_for_update()[:most])


def remove_all(there: Sequence[Fact], *, actor: str) -> Counter[str]:
    """Delete facts, each with its row in the log."""
    done: Counter[str] = Counter()
    gone: set[uuid.UUID] = set()
    for fact in there:
        if fact.id not in gone:
            removed = deleting.remove(fact, actor=actor)
            gone |= {row.id for row in removed}
            done["deleted"] += 1
    return done


def widen(there: Sequence[Fact], *, actor: str) -> Counter[str]:
    """Let facts of a space hold everywhere.

    What the profile says already is closed; where a key has one value and the profile another one, the space's
    waits for review: it never replaces the profile's by itself.
    """
    done: Counter[str] = Counter()
    for fact in there:
        now = now_of(fact.profile_id)
        old = fact.space.slug if fact.space else None
        held = rows.held(fact.profile_id, fact.key, None, fact.value_norm)
        same = next((row for row in held if row.value_norm == fact.value_norm), None)
        if same is not None and fact.op != Op.RETRACT:
            done["known"] += 1
            _close(fact, same, now, actor)
            continue
        if fact.state == FactState.CURRENT and held and fact.cardinality == Cardinality.ONE:
            done["to_review"] += 1
            fact.state, fact.reasons = FactState.PENDING, [SPACE_REMOVED]
        else:
            done["kept"] += 1
        fact.space_id, fact.version = None, fact.version + 1
        fact.save(update_fields=["space", "state", "reasons", "version"])
        folded = rows.named(rows.fold_waiting(fact, now))
        _tell(fact, {"old": {"space": old}, "new": {"space": None}, "reasons": list(fact.reasons), **folded}, actor)
    return done


def _close(fact: Fact, same: Fact, now: datetime, actor: str) -> None:
    rows.close([fact], state=FactState.SUPERSEDED, at=now, by=same.id)
    _tell(fact, {"value": fact.value, "superseded_by": str(same.id), "reasons": [SPACE_REMOVED]}, actor)


def _tell(fact: Fact, payload: dict[str, object], actor: str) -> None:
    told = {"fact_id": str(fact.id), "key": fact.key, **payload}
    audit.record(audit.Entry(Event.FACT_UPDATED, fact.profile_id, told, actor, space_id=fact.space_id))
