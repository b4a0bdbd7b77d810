"""Who works on what: claims in turn over profiles, leases, and what dead workers held."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import timedelta

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from memory import sql
from memory.config import conf
from memory.db import claim_scope, now, profile_scope
from memory.domain.retry import Tries
from memory.models import WorkItem, WorkKind, WorkState
from memory.work.failing import tell
from memory.work.items import FIRST, LEASE_SECONDS, MOST_ITEMS, Claim, Item

DIED = "Each worker that read this chat died while reading it."


def claim(
    kind: WorkKind, *, worker: str, route: str = "", after: uuid.UUID = FIRST, together: bool = False
) -> Claim | None:
    """Lease all due items of one conversation of the next profile after `after`; what has failed, one by one.

    `route` is the model that will read them. `together`: one call serves both kinds, so that a claim of facts takes
    the summary of the same chats along, and a claim of summaries leaves it there. None: nothing is due, or that
    model rests.
    """
    token = uuid.uuid4()
    facts = kind is WorkKind.EXTRACT
    with claim_scope(), connection.cursor() as cursor:
        for start in dict.fromkeys((after, FIRST)):
            cursor.execute(
                sql.read("claim"),
                {
                    "kind": kind.value,
                    "takes": WorkKind.SUMMARISE.value if together and facts else None,
                    "leaves": WorkKind.EXTRACT.value if together and not facts else None,
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
                items = [Item(r[0], WorkKind(r[1]), r[4], r[5], Tries(r[6], r[7], r[8])) for r in rows]
                items.sort(key=lambda item: (item.said_at, item.id))
                return Claim(token, rows[0][2], rows[0][3], tuple(items), rested=rows[0][9])
    return None


def due(kind: WorkKind, *, most: int) -> int:
    """How many items are due now, counted up to `most` and no further: there may be very many."""
    with claim_scope():
        rows = WorkItem.objects.filter(kind=kind, state=WorkState.WAITING, not_before__lte=Now())
        return len(rows.values_list("id", flat=True)[:most])


def renew(tokens: Sequence[uuid.UUID]) -> None:
    """Hold on to the leases of these claims while models answer."""
    if not tokens:
        return
    with claim_scope():
        WorkItem.objects.filter(token__in=tokens, state=WorkState.RUNNING).update(
            lease_until=Now() + timedelta(seconds=LEASE_SECONDS)  # the database's clock: hosts may differ
        )


def give_back(tokens: Sequence[uuid.UUID]) -> int:
    """Let others take what these claims hold, unless it is just being written. Returns how many items."""
    with claim_scope():
        held = WorkItem.objects.filter(token__in=tokens, state=WorkState.RUNNING).order_by("id")
        ids = list(held.select_for_update(skip_locked=True).values_list("id", flat=True))
        return WorkItem.objects.filter(id__in=ids).update(state=WorkState.WAITING, token=None)


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
        row.state, row.token, row.finished_at = WorkState.DEAD, None, now()
        row.error_code, row.error = "worker_died", DIED
        row.save()
        tell([row], code=row.error_code, reason=DIED)
    return 1
