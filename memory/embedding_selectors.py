"""How the making of vectors stands, over all profiles: for the operator's looks."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

from memory.db import operator_scope
from memory.models import EmbeddingIdentity, IdentityState


@dataclass(frozen=True)
class Standing:
    """`active`: what recall searches by; `building`: what it will, with how many of its texts are done.

    Of the texts that wait, `failing` were tried in vain before, and `dead` wait until somebody retries them.
    """

    active: str | None
    building: str | None
    done: int
    total: int
    waiting: int
    failing: int
    dead: int
    last_error: str


WAITING = """
SELECT count(*) FILTER (WHERE not_before IS NOT NULL), count(*) FILTER (WHERE error <> '' AND not_before IS NOT NULL),
       count(*) FILTER (WHERE not_before IS NULL),
       coalesce((SELECT error FROM embed_queue WHERE error <> '' ORDER BY id DESC LIMIT 1), '') FROM embed_queue"""


def standing() -> Standing:
    """How it stands now."""
    with operator_scope(), connection.cursor() as cursor:
        rows = {row.state: row for row in EmbeddingIdentity.objects.exclude(state=IdentityState.RETIRED)}
        active, building = rows.get(IdentityState.ACTIVE), rows.get(IdentityState.BUILDING)
        cursor.execute(WAITING)
        waiting, failing, dead, error = cursor.fetchone()
    return Standing(
        active=active.name if active else None,
        building=building.name if building else None,
        done=building.done if building else 0,
        total=building.total if building else 0,
        waiting=waiting,
        failing=failing,
        dead=dead,
        last_error=error,
    )
