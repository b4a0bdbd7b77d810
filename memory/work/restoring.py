"""What came of chats that an export brings along: what was read there is not read again."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.models import AuditLog, WorkItem, WorkKind, WorkState

OVER = (WorkState.DONE, WorkState.DEAD, WorkState.CANCELLED)


@dataclass(frozen=True)
class Ended:
    """What an export says of the reading of one chat (by its id here)."""

    audit_id: int
    kind: WorkKind
    state: WorkState
    finished_at: datetime | None
    columns: Mapping[str, Any]


def restore(*, profile_id: uuid.UUID, ended: Sequence[Ended]) -> None:
    """Make the items of readings that are over; what waited waits anew. Call inside the profile's scope."""
    wanted = [each for each in ended if each.state in OVER]
    chats = AuditLog.objects.filter(profile_id=profile_id, id__in={each.audit_id for each in wanted})
    said = {row[0]: row[1:] for row in chats.values_list("id", "conversation_id", "said_at", "at")}
    WorkItem.objects.bulk_create(
        (
            WorkItem(
                profile_id=profile_id,
                conversation_id=said[each.audit_id][0],
                audit_id=each.audit_id,
                kind=each.kind.value,
                state=each.state.value,
                said_at=said[each.audit_id][1] or said[each.audit_id][2],
                finished_at=each.finished_at,
                **each.columns,
            )
            for each in wanted
            if said.get(each.audit_id, (None,))[0] is not None
        ),
        ignore_conflicts=True,
    )
