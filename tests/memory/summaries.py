"""Says things and has them summarised, through a scripted model at the real wire."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection

from memory.db import claim_scope, operator_scope, profile_scope
from memory.models import AuditLog, EpisodeSummary, ModelPause, WorkItem
from tests.people import Person
from tests.scripted_model import ScriptedModel
from workers import tasks


def reply(summary: str | None = "Of tea.", *, facts: Any = (), **details: Any) -> str:
    return json.dumps({"facts": list(facts) if isinstance(facts, tuple) else facts, "summary": summary, **details})


def episodes(who: Person) -> list[EpisodeSummary]:
    with profile_scope(who.profile_id):
        return list(EpisodeSummary.objects.select_related("space").order_by("id"))


def told(who: Person, event: str) -> list[dict[str, Any]]:
    """What the log's rows about an episode say, oldest first."""
    with profile_scope(who.profile_id):
        rows = AuditLog.objects.filter(event_type=f"memory.episode.{event}").order_by("id")
        return [row.payload for row in rows]


def items(kind: str) -> list[WorkItem]:
    with operator_scope():
        return list(WorkItem.objects.filter(kind=kind).order_by("audit_id"))


def ends(kind: str) -> list[tuple[str, str]]:
    return [(item.state, item.outcome) for item in items(kind)]


def due() -> None:
    """All waits and pauses are over."""
    past = datetime.now(UTC) - timedelta(seconds=1)
    with claim_scope():
        ModelPause.objects.update(until=past)
    with operator_scope():
        WorkItem.objects.filter(state="waiting").update(not_before=past)


def later(audit_ids: Sequence[int]) -> None:
    """These wait for an hour."""
    with operator_scope():
        WorkItem.objects.filter(audit_id__in=audit_ids).update(not_before=datetime.now(UTC) + timedelta(hours=1))


@contextmanager
def while_it_is_read(model: ScriptedModel) -> Iterator[None]:
    """Inside, a worker waits for the model's (slow) answer; afterwards it has done what is due."""
    before = len(model.extractions)

    def read() -> None:
        try:
            tasks.drain()
        finally:
            connection.close()

    worker = threading.Thread(target=read)
    worker.start()
    model.wait_for(lambda m: len(m.extractions) > before)
    yield
    worker.join()
