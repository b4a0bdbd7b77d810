"""The only writer of pauses: while a provider rests, nobody calls it in the background."""

from __future__ import annotations

from datetime import timedelta

from memory.db import claim_scope, now
from memory.domain.retry import OUTAGE_FIRST, OUTAGE_LONGEST, Failure
from memory.errors import ModelError
from memory.models import ModelPause

SETTINGS_PAUSE_SECONDS = 60.0


def note(error: Exception, failure: Failure) -> None:
    """Remember that a route cannot be called for a while."""
    if not isinstance(error, ModelError) or failure not in (Failure.OUTAGE, Failure.SETTINGS) or not error.provider:
        return
    route = f"{error.provider}/{error.model}"
    with claim_scope():
        at = now()
        row, made = ModelPause.objects.select_for_update().get_or_create(
            route=route, defaults={"until": at, "reason": str(error)[:500]}
        )
        failures = 1 if made else row.failures + 1
        if error.retry_after is not None:
            seconds = error.retry_after
        elif failure is Failure.SETTINGS:
            seconds = SETTINGS_PAUSE_SECONDS
        else:
            seconds = min(OUTAGE_LONGEST / 10, OUTAGE_FIRST * 2 ** min(failures - 1, 6))
        row.until = max(row.until, at + timedelta(seconds=seconds))
        row.reason, row.failures = str(error)[:500], failures
        row.save()


def clear(route: str) -> None:
    """The route answered. Call inside any scope."""
    ModelPause.objects.filter(route=route).delete()


def clear_all() -> int:
    """Somebody asks for work to be tried again now."""
    with claim_scope():
        return ModelPause.objects.all().delete()[0]
