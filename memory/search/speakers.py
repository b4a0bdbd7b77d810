"""Who speaks in the chats of a space. Call inside the profile's scope."""

from __future__ import annotations

import time
import uuid

from django.db import connection

KEPT_SECONDS = 60.0
MOST, MOST_KEPT = 500, 10_000
_kept: dict[uuid.UUID, tuple[float, tuple[str, ...]]] = {}

# From one name to the next by the index: there may be very many passages and but few names.
NAMES = """
WITH RECURSIVE names AS (
  (SELECT speaker FROM passages WHERE profile_id = %(profile)s AND space_id = %(space)s AND speaker > ''
    ORDER BY speaker LIMIT 1)
  UNION ALL
  SELECT (SELECT p.speaker FROM passages p WHERE p.profile_id = %(profile)s AND p.space_id = %(space)s
             AND p.speaker > n.speaker ORDER BY p.speaker LIMIT 1)
    FROM names n WHERE n.speaker IS NOT NULL
)
SELECT speaker FROM names WHERE speaker IS NOT NULL LIMIT %(most)s"""


def of(profile_id: uuid.UUID, space_id: uuid.UUID) -> tuple[str, ...]:
    """The names that clients gave to who speaks there, as of a minute ago."""
    until, found = _kept.get(space_id, (0.0, ()))
    if until > time.monotonic():
        return found
    with connection.cursor() as cursor:
        cursor.execute(NAMES, {"profile": profile_id, "space": space_id, "most": MOST})
        found = tuple(name for (name,) in cursor.fetchall())
    if found:  # nobody yet: somebody may speak any moment
        if len(_kept) > MOST_KEPT:
            _kept.clear()
        _kept[space_id] = (time.monotonic() + KEPT_SECONDS, found)
    return found
