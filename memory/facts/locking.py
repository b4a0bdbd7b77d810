"""The lock under which a profile's facts change, the time of such a change, and the mark that a chat was given them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from memory.errors import BeingErased


def lock(profile_id: uuid.UUID) -> None:
    """Changes to one profile's facts are made one after another, on all hosts, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('facts:' || %s, 0))", [str(profile_id)])


def now_of(profile_id: uuid.UUID) -> datetime:
    """The time of what a person does now: later than all they have said, even where the clock was set back.

    Raises BeingErased.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT greatest(clock_timestamp(), last_said_at + interval '1 microsecond') FROM profiles"
            " WHERE id = %s AND erasing_at IS NULL",
            [profile_id],
        )
        row = cursor.fetchone()
    if row is None:
        raise BeingErased
    now: datetime = row[0]
    return now


def mark_used(*, profile_id: uuid.UUID, fact_ids: Sequence[uuid.UUID]) -> None:
    """Remember that a chat was given these facts, at most once an hour each. Call inside the profile's scope.

    Rows that a worker holds are passed over: an answer that is ready waits for nobody.
    """
    if fact_ids:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE personal_facts SET last_used_at = now() WHERE id IN ("
                "SELECT id FROM personal_facts WHERE profile_id = %s AND id = ANY(%s)"
                " AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')"
                " FOR NO KEY UPDATE SKIP LOCKED)",
                [profile_id, list(fact_ids)],
            )
