"""What becomes of failures: later again, or given up; the items and the log say why."""

from __future__ import annotations

import random
from collections.abc import Sequence

from django.db.utils import InterfaceError, OperationalError

from memory import audit, pauses
from memory.config import conf
from memory.db import now, profile_scope
from memory.domain import retry
from memory.domain.sensitive import redact
from memory.domain.text import clamp
from memory.errors import (
    ModelDown,
    ModelError,
    ModelMisconfigured,
    ModelNonsense,
    ModelRateLimited,
    ModelRefusedRequest,
    ModelTimeout,
)
from memory.models import Event, WorkItem, WorkKind, WorkState
from memory.work.items import Claim, Costs

RAW_KEPT = 20_000  # characters of an unusable reply kept for a person to look at


def fail(claim: Claim, error: Exception, costs: Costs) -> None:
    """Put the items back for later, or give them up; audit rows and the items say why.

    Opens its own scope; inside that of a reading only for nonsense, which is the fault of no route.
    """
    failure = kind_of(error)
    if failure is retry.Failure.REFUSED and len(claim.audit_ids) > 1:
        failure = retry.Failure.NONSENSE  # perhaps for its length, or for one of the chats: each gets its own reading
    asked = error.retry_after if isinstance(error, ModelError) else None
    pauses.note(error, failure)
    away = isinstance(error, OperationalError | InterfaceError)
    code = "database_away" if away else getattr(error, "code", "crash")
    text = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: see the worker's log."
    raw = error.raw if isinstance(error, ModelError) else ""
    dice = random.random()  # one for all: what is read together becomes due together
    with profile_scope(claim.profile_id):
        at = now()
        held = WorkItem.objects.select_for_update().filter(id__in=claim.ids, token=claim.token, state=WorkState.RUNNING)
        rows = list(held.order_by("id"))  # none: somebody else has it now, or it was withdrawn or erased
        for row in rows:
            tries = retry.Tries(row.attempts, row.outages, row.first_failed_at)
            decision = retry.decide(
                failure, tries, now=at, max_attempts=conf().memory.max_attempts, retry_after=asked, dice=dice
            )
            row.attempts, row.outages = decision.attempts, decision.outages
            row.first_failed_at = row.first_failed_at or at
            row.state = WorkState.WAITING if decision.at else WorkState.DEAD
            row.not_before = decision.at or row.not_before
            row.finished_at = None if decision.at else at
            row.token = None
            row.error_code, row.error = code, clamp(text, 500)
            row.raw_reply = redact(clamp(audit.storable_text(raw), RAW_KEPT))[0]
            row.calls += costs.calls
            row.model = costs.model or row.model
            row.prompt_version = costs.prompt_version or row.prompt_version
            row.save()
        tell(rows, code=code, reason=text)


def tell(rows: Sequence[WorkItem], *, code: str, reason: str) -> None:
    """A row of the log for each kind of these items of one conversation. Call inside the profile's scope."""
    for kind in WorkKind:
        failed = [row for row in rows if row.kind == kind]
        if not failed:
            continue
        dead = any(row.state == WorkState.DEAD for row in failed)
        payload: dict[str, object] = {
            "code": code,
            "reason": reason,
            "source_audit_ids": [row.audit_id for row in failed],
            "items": [row.id for row in failed],
        }
        if kind is WorkKind.EXTRACT:
            event = Event.EXTRACT_DEAD if dead else Event.EXTRACT_FAILED
        else:
            event = Event.EPISODE_FAILED
            payload["given_up"] = dead
        audit.record(
            audit.Entry(event, failed[0].profile_id, payload, actor="worker", conversation_id=failed[0].conversation_id)
        )


def kind_of(error: Exception) -> retry.Failure:
    """What kind of failure an error is."""
    if isinstance(error, ModelDown | ModelTimeout | ModelRateLimited | OperationalError | InterfaceError):
        return retry.Failure.OUTAGE
    if isinstance(error, ModelMisconfigured):
        return retry.Failure.SETTINGS
    if isinstance(error, ModelRefusedRequest):
        return retry.Failure.REFUSED
    return retry.Failure.NONSENSE if isinstance(error, ModelNonsense) else retry.Failure.CRASH
