"""Which chats were given what no longer holds, and may have said it again. Call inside the profile's scope."""

from __future__ import annotations

import uuid
from collections.abc import Collection

from django.db import connection

# The row that keeps what an edited fact said is another one, whose successor is the fact that was given.
GIVEN = """
SELECT p.id, a.id
  FROM audit_log a
 CROSS JOIN LATERAL jsonb_array_elements_text(
         CASE jsonb_typeof(a.payload->'facts') WHEN 'array' THEN a.payload->'facts' ELSE '[]' END) g (fact)
  JOIN personal_facts p ON p.profile_id = a.profile_id AND (p.id = g.fact::uuid OR p.superseded_by_id = g.fact::uuid)
 WHERE a.id = ANY (%s) AND a.profile_id = %s AND a.event_type = 'chat.completed'
   AND (p.state <> 'current' OR p.expires_at <= now())"""


def past_facts(*, profile_id: uuid.UUID, chats: Collection[int]) -> dict[uuid.UUID, set[int]]:
    """Of these chats those that were given each of the facts that hold no longer."""
    found: dict[uuid.UUID, set[int]] = {}
    if chats:
        with connection.cursor() as cursor:
            cursor.execute(GIVEN, [list(chats), profile_id])
            for fact_id, chat in cursor.fetchall():
                found.setdefault(fact_id, set()).add(chat)
    return found
