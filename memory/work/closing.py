"""How work ends that did not fail: the fence before anything is written, done, cancelled, put back."""

from __future__ import annotations

import json
import uuid

from django.db import connection
from django.db.models.functions import Now

from memory import audit
from memory.db import profile_scope
from memory.errors import StaleClaim
from memory.models import AuditLog, WorkItem, WorkKind, WorkState
from memory.work.items import Claim, Costs, Report

_HELD = "SELECT kind FROM work_items WHERE id = ANY(%s) AND token = %s AND state = 'running'"
_LOCKED = f"{_HELD} ORDER BY id FOR UPDATE"
_CLOSE = """
UPDATE work_items
   SET state = 'done', token = NULL, finished_at = clock_timestamp(), outcome = %s, detail = %s::jsonb,
       error_code = '', error = '', raw_reply = '', model = %s, prompt_version = %s,
       calls = calls + %s, input_tokens = input_tokens + %s, output_tokens = output_tokens + %s
 WHERE id = ANY(%s) AND token = %s AND state = 'running'"""


def hold(claim: Claim) -> Claim:
    """What of the claim is still this worker's, kind by kind. Raises StaleClaim where nothing is.

    Call inside the transaction that writes what came of the reading.
    """
    return _held(claim, _LOCKED)


def check(claim: Claim) -> Claim:
    """The same before another call to a model is made: taken over, withdrawn or erased meanwhile, it is in vain."""
    with profile_scope(claim.profile_id):
        return _held(claim, _HELD)


def _held(claim: Claim, statement: str) -> Claim:
    with connection.cursor() as cursor:
        cursor.execute(statement, [claim.ids, claim.token])
        found = [kind for (kind,) in cursor.fetchall()]
    whole = [kind for kind in claim.kinds if found.count(kind) == len(claim.of(kind).items)]
    if not whole:
        raise StaleClaim("This is not to be read any more, or by another worker.")
    return claim.of(*whole)


def close(claim: Claim, report: Report, costs: Costs) -> None:
    """Mark the items done, inside the transaction that wrote what came of them.

    A call that read several items is booked on each in equal parts; the remainder of calls on none. Raises
    StaleClaim where the lease went to another worker: the caller's transaction must roll back.
    """
    share = costs.items or len(claim.items)
    spent = [costs.calls, costs.input_tokens // share, costs.output_tokens // share]
    detail = json.dumps(audit.storable(report.detail))
    with connection.cursor() as cursor:
        cursor.execute(
            _CLOSE, [report.outcome, detail, costs.model, costs.prompt_version, *spent, claim.ids, claim.token]
        )
        if cursor.rowcount != len(claim.items):
            raise StaleClaim("Another worker has taken this over.")


def cancel(claim: Claim, *, reason: str) -> None:
    """Close without reading, since it may not be read any more."""
    with profile_scope(claim.profile_id):
        WorkItem.objects.filter(id__in=claim.ids, token=claim.token, state=WorkState.RUNNING).update(
            state=WorkState.CANCELLED, token=None, outcome=reason, finished_at=Now()
        )


def put_back(claim: Claim) -> None:
    """Let it be read again now: what it was read beside has changed meanwhile, which is nobody's fault."""
    with profile_scope(claim.profile_id):
        WorkItem.objects.filter(id__in=claim.ids, token=claim.token, state=WorkState.RUNNING).update(
            state=WorkState.WAITING, token=None
        )


def withdraw(
    kind: WorkKind,
    *,
    profile_id: uuid.UUID,
    space_id: uuid.UUID | None = None,
    conversation_id: uuid.UUID | None = None,
    reason: str = "consent withdrawn",
) -> int:
    """Stop what waits or is being read, of the profile, or of one of its spaces or conversations. Returns how many
    items.

    Call inside the profile's scope, in the transaction that makes it unwanted.
    """
    rows = WorkItem.objects.filter(profile_id=profile_id, kind=kind, state__in=[WorkState.WAITING, WorkState.RUNNING])
    if space_id is not None:
        rows = rows.filter(audit_id__in=AuditLog.objects.filter(profile_id=profile_id, space_id=space_id).values("id"))
    if conversation_id is not None:
        rows = rows.filter(conversation_id=conversation_id)
    return rows.update(state=WorkState.CANCELLED, token=None, outcome=reason, finished_at=Now())
