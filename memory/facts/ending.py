"""What held no longer where it was imported from, and has no successor, holds no longer here."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory import audit
from memory.facts import rows
from memory.models import Event, Fact, FactState, SourceKind


@dataclass(frozen=True)
class Ended:
    """A value that was said at one time and held until another."""

    key: str | None
    value_norm: str
    said_at: datetime
    valid_to: datetime


def end(*, profile_id: uuid.UUID, values: Sequence[Ended], actor: str) -> int:
    """Close what was imported of these values and nobody has said since. Returns how many.

    Call inside the profile's scope, under `lock`.
    """
    closed = 0
    for value in values:
        there = Fact.objects.filter(
            profile_id=profile_id,
            key=value.key,
            value_norm=value.value_norm,
            said_at=value.said_at,
            state=FactState.CURRENT,
            source_kind=SourceKind.IMPORTED,
            edit_count=0,
        )
        for fact in there.order_by("id").select_for_update():
            rows.close([fact], state=FactState.RETRACTED, at=max(value.valid_to, fact.said_at))
            payload = {"fact_id": str(fact.id), "key": fact.key, "value": fact.value, "imported": True}
            audit.record(audit.Entry(Event.FACT_RETRACTED, profile_id, payload, actor, space_id=fact.space_id))
            closed += 1
    return closed
