"""The only writer of work items after they are made: claims, leases, outcomes, retries, dead letters."""

from __future__ import annotations

import random
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.db.utils import InterfaceError, OperationalError

from memory import audit, pauses, sql
from memory.config import conf
from memory.db import claim_scope, profile_scope
from memory.domain import retry
from memory.domain.sensitive import redact
from memory.errors import (
    Conflict,
    ModelDown,
    ModelError,
    ModelMisconfigured,
    ModelNonsense,
    ModelRateLimited,
    ModelRefusedRequest,
    ModelTimeout,
    NotFound,
    StaleClaim,
)
from memory.models import AuditLog, Event, WorkItem, WorkKind, WorkState

LEASE_SECONDS = 10.0
RENEW_EVERY_SECONDS = 3.0
MOST_ITEMS = 40  # turns of one conversation that are read together
RAW_KEPT = 20_000  # characters of an unusable reply kept for a person to look at
FIRST = uuid.UUID(int=0)


@dataclass(frozen=True)
class Item:
    id: int
    audit_id: int
    said_at: datetime
    tries: retry.Tries


@dataclass(frozen=True)
class Claim:
    """The right to work off some items of one conversation until the lease ends."""

    kind: WorkKind
    token: uuid.UUID
    profile_id: uuid.UUID
    conversation_id: uuid.UUID
    items: tuple[Item, ...]
    rested: bool = False  # the model had asked for a rest before this

    @property
    def ids(self) -> list[int]:
        return [item.id for item in self.items]


@dataclass
class Costs:
    """What reading cost so far."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    model: str = ""
    prompt_version: str = ""


@dataclass(frozen=True)
class Report:
    """What came of a reading: learned, nothing (to learn), skipped (no call was worth it)."""

    outcome: str
    detail: dict[str, Any] = field(default_factory=dict)


def claim(kind: WorkKind, *, worker: str, route: str = "", after: uuid.UUID = FIRST) -> Claim | None:
    """Lease all due items of one conversation of the next profile after `after`; what has failed, one by one.

    `route` is the model that will read them. None: nothing is due, or that model rests.
    """
    token = uuid.uuid4()
    with claim_scope(), connection.cursor() as cursor:
        for start in dict.fromkeys((after, FIRST)):
            cursor.execute(
                sql.read("claim"),
                {
                    "kind": kind.value,
                    "route": route,
                    "after": start,
                    "token": token,
                    "worker": worker[:120],
                    "lease": LEASE_SECONDS,
                    "most": MOST_ITEMS,
                },
            )
            rows = cursor.fetchall()
            if rows:
                items = [Item(r[0], r[3], r[4], retry.Tries(r[5], r[6], r[7])) for r in rows]
                items.sort(key=lambda item: (item.said_at, item.id))
                return Claim(kind, token, rows[0][1], rows[0][2], tuple(items), rested=rows[0][8])
    return None


def due(kind: WorkKind, *, most: int) -> int:
    """How many items are due now, counted up to `most` and no further: there may be very many."""
    with claim_scope():
        rows = WorkItem.objects.filter(kind=kind, state=WorkState.WAITING, not_before__lte=Now())
        return len(rows.values_list("id", flat=True)[:most])


def renew(claims: Sequence[Claim]) -> None:
    """Hold on to the leases while models answer."""
    if not claims:
        return
    with claim_scope():
        WorkItem.objects.filter(token__in=[c.token for c in claims], state=WorkState.RUNNING).update(
            lease_until=Now() + timedelta(seconds=LEASE_SECONDS)  # the database's clock: hosts may differ
        )


DIED = "Each worker that read this chat died while reading it."


def release_expired() -> int:
    """Give back what dead workers held. A reading that keeps killing workers is given up, and the log says so."""
    with claim_scope():
        lost = WorkItem.objects.filter(state=WorkState.RUNNING, lease_until__lt=Now())
        killing = lost.filter(attempts__gte=conf().memory.max_attempts * 2)
        dead = list(killing.values_list("id", "profile_id"))
        given_back = lost.exclude(id__in=[i for i, _ in dead]).update(
            state=WorkState.WAITING, token=None, attempts=F("attempts") + 1
        )
    return given_back + sum(_bury(profile_id, item_id) for item_id, profile_id in dead)


def _bury(profile_id: uuid.UUID, item_id: int) -> int:
    with profile_scope(profile_id):
        row = (
            WorkItem.objects.select_for_update()
            .filter(id=item_id, state=WorkState.RUNNING, lease_until__lt=Now())
            .first()
        )
        if row is None:  # another sweep was first
            return 0
        row.state, row.token, row.finished_at = WorkState.DEAD, None, datetime.now(UTC)
        row.error_code, row.error = "worker_died", DIED
        row.save()
        audit.record(
            audit.Entry(
                Event.EXTRACT_DEAD,
                profile_id,
                {"code": row.error_code, "reason": DIED, "source_audit_ids": [row.audit_id], "items": [row.id]},
                actor="worker",
                conversation_id=row.conversation_id,
            )
        )
    return 1


def close(claim: Claim, report: Report, costs: Costs) -> None:
    """Mark the items done, inside the transaction that wrote what came of them.

    Raises StaleClaim where the lease went to another worker: the caller's transaction must roll back.
    """
    closed = WorkItem.objects.filter(id__in=claim.ids, token=claim.token, state=WorkState.RUNNING).update(
        state=WorkState.DONE,
        token=None,
        finished_at=datetime.now(UTC),
        outcome=report.outcome,
        detail=audit.storable(report.detail),
        error_code="",
        error="",
        raw_reply="",
        **_spent(costs, len(claim.items)),
    )
    if closed != len(claim.items):
        raise StaleClaim("Another worker has taken this over.")


def check(claim: Claim) -> None:
    """Raises StaleClaim where the items are no longer this worker's: taken over, withdrawn or erased meanwhile."""
    with profile_scope(claim.profile_id):
        held = WorkItem.objects.filter(id__in=claim.ids, token=claim.token, state=WorkState.RUNNING).count()
    if held != len(claim.items):
        raise StaleClaim("This is not to be read any more, or by another worker.")


def withdraw(kind: WorkKind, *, profile_id: uuid.UUID, space_id: uuid.UUID | None = None) -> int:
    """Stop what waits or is being read, of the profile or of one of its spaces. Returns how many items.

    Call inside the profile's scope, in the transaction that withdraws the consent.
    """
    rows = WorkItem.objects.filter(profile_id=profile_id, kind=kind, state__in=[WorkState.WAITING, WorkState.RUNNING])
    if space_id is not None:
        rows = rows.filter(audit_id__in=AuditLog.objects.filter(profile_id=profile_id, space_id=space_id).values("id"))
    return rows.update(
        state=WorkState.CANCELLED, token=None, outcome="consent withdrawn", finished_at=datetime.now(UTC)
    )


def cancel(claim: Claim, *, reason: str) -> None:
    """Close without reading, since it may not be read any more."""
    with profile_scope(claim.profile_id):
        WorkItem.objects.filter(id__in=claim.ids, token=claim.token, state=WorkState.RUNNING).update(
            state=WorkState.CANCELLED, token=None, outcome=reason, finished_at=datetime.now(UTC)
        )


def fail(claim: Claim, error: Exception, costs: Costs) -> None:
    """Put the items back for later, or give them up; an audit row and the items say why."""
    now = datetime.now(UTC)
    failure = kind_of(error)
    if failure is retry.Failure.REFUSED and len(claim.items) > 1:
        failure = retry.Failure.NONSENSE  # perhaps for its length, or for one of the chats: each gets its own reading
    asked = error.retry_after if isinstance(error, ModelError) else None
    pauses.note(error, failure, now=now)
    away = isinstance(error, OperationalError | InterfaceError)
    code = "database_away" if away else getattr(error, "code", "crash")
    text = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: see the worker's log."
    raw = error.raw if isinstance(error, ModelError) else ""
    dice = random.random()
    with profile_scope(claim.profile_id):
        held = WorkItem.objects.select_for_update().filter(id__in=claim.ids, token=claim.token, state=WorkState.RUNNING)
        dead = []
        rows = list(held.order_by("id"))
        if not rows:
            return  # somebody else has it now, or it was withdrawn or erased: there is nothing to tell
        for row in rows:
            tries = retry.Tries(row.attempts, row.outages, row.first_failed_at)
            decision = retry.decide(
                failure, tries, now=now, max_attempts=conf().memory.max_attempts, retry_after=asked, dice=dice
            )
            row.attempts, row.outages = decision.attempts, decision.outages
            row.first_failed_at = row.first_failed_at or now
            row.state = WorkState.WAITING if decision.at else WorkState.DEAD
            row.not_before = decision.at or row.not_before
            row.finished_at = None if decision.at else now
            row.token = None
            row.error_code, row.error = code, audit.clamp(text, 500)
            row.raw_reply = redact(audit.clamp(audit.storable_text(raw), RAW_KEPT))[0]
            row.calls += costs.calls
            row.model = costs.model or row.model
            row.prompt_version = costs.prompt_version or row.prompt_version
            row.save()
            if decision.at is None:
                dead.append(row)
        _tell(claim, code, text, dead)


def _tell(claim: Claim, code: str, text: str, dead: list[WorkItem]) -> None:
    if claim.kind is not WorkKind.EXTRACT:
        return
    event = Event.EXTRACT_DEAD if dead else Event.EXTRACT_FAILED
    audit.record(
        audit.Entry(
            event,
            claim.profile_id,
            {
                "code": code,
                "reason": text,
                "source_audit_ids": [i.audit_id for i in claim.items],
                "items": claim.ids,
            },
            actor="worker",
            conversation_id=claim.conversation_id,
        )
    )


def retry_item(*, profile_id: uuid.UUID, item_id: int) -> WorkItem:
    """Let a dead, waiting, done or cancelled item be read again now.

    Raises NotFound, or Conflict while a worker reads it.
    """
    with profile_scope(profile_id):
        row = WorkItem.objects.select_for_update().filter(id=item_id).first()
        if row is None:
            raise NotFound("There is no such item.")
        if row.state == WorkState.RUNNING:
            raise Conflict("A worker is reading it right now.")
        _reset(WorkItem.objects.filter(id=item_id))
        row.refresh_from_db()
        return row


def retry_dead(*, profile_id: uuid.UUID) -> int:
    """Let every dead item of the profile be read again."""
    with profile_scope(profile_id):
        return _reset(WorkItem.objects.filter(state=WorkState.DEAD))


def _reset(rows: Any) -> int:
    return int(
        rows.update(
            state=WorkState.WAITING,
            attempts=0,
            outages=0,
            first_failed_at=None,
            not_before=datetime.now(UTC),
            finished_at=None,
            outcome="",
        )
    )


def drop_raw_replies(*, profile_id: uuid.UUID, audit_ids: Collection[int]) -> None:
    """Forget what models answered to these chats in a form that could not be used. Call inside the profile's scope."""
    kept = WorkItem.objects.filter(profile_id=profile_id, audit_id__in=list(audit_ids)).exclude(raw_reply="")
    kept.update(raw_reply="")


def hold(claim: Claim) -> None:
    """Make sure of the lease before anything is written. Raises StaleClaim where it went to another worker.

    Call inside the transaction that writes what came of the reading.
    """
    mine = WorkItem.objects.filter(id__in=claim.ids, token=claim.token, state=WorkState.RUNNING)
    if len(mine.order_by("id").select_for_update().values_list("id", flat=True)) != len(claim.items):
        raise StaleClaim("Another worker has taken this over, or it is gone.")


def kind_of(error: Exception) -> retry.Failure:
    """What kind of failure an error is."""
    if isinstance(error, ModelDown | ModelTimeout | ModelRateLimited | OperationalError | InterfaceError):
        return retry.Failure.OUTAGE
    if isinstance(error, ModelMisconfigured):
        return retry.Failure.SETTINGS
    if isinstance(error, ModelRefusedRequest):
        return retry.Failure.REFUSED
    return retry.Failure.NONSENSE if isinstance(error, ModelNonsense) else retry.Failure.CRASH


def _spent(costs: Costs, items: int) -> dict[str, Any]:
    """A call that read several items is booked on each in equal parts; the remainder of calls on none."""
    return {
        "calls": F("calls") + costs.calls,
        "input_tokens": F("input_tokens") + costs.input_tokens // items,
        "output_tokens": F("output_tokens") + costs.output_tokens // items,
        "model": costs.model,
        "prompt_version": costs.prompt_version,
    }
