"""Which chats were given what holds no longer, and may have said it again. Call inside the profile's scope."""

from __future__ import annotations

import uuid
from collections.abc import Collection

from django.db import connection

MOST = 500  # chats that are looked at, the latest
# The row that keeps what an edited fact said is another one, whose successor is the fact that was given.
# Facts are looked up once each, and one by one: else a plan may read all of the profile.
GIVEN = """
WITH given AS MATERIALIZED (
  SELECT a.id AS chat, g.fact::uuid AS fact
    FROM unnest(%(chats)s::bigint[]) c (id)
   CROSS JOIN LATERAL (SELECT o.id, o.payload->'facts' AS facts FROM audit_log o
                        WHERE o.id = c.id AND o.profile_id = %(profile)s AND o.event_type = 'chat.completed' LIMIT 1) a
   CROSS JOIN LATERAL jsonb_array_elements_text(
           CASE jsonb_typeof(a.facts) WHEN 'array' THEN a.facts ELSE '[]' END) g (fact)
)
SELECT p.id, given.chat
  FROM (SELECT DISTINCT fact FROM given) d
 CROSS JOIN LATERAL (
         (SELECT o.id, o.state, o.expires_at FROM personal_facts o WHERE o.id = d.fact LIMIT 1)
         UNION ALL
         (SELECT o.id, o.state, o.expires_at FROM personal_facts o WHERE o.superseded_by_id = d.fact OFFSET 0)) p
  JOIN given ON given.fact = d.fact
 WHERE p.state <> 'current' OR p.expires_at <= now()"""


def past_facts(*, profile_id: uuid.UUID, chats: Collection[int]) -> dict[uuid.UUID, set[int]]:
    """Of these chats those that were given each of the facts that hold no longer."""
    found: dict[uuid.UUID, set[int]] = {}
    if chats:
        with connection.cursor() as cursor:
            cursor.execute(GIVEN, {"chats": sorted(chats)[-MOST:], "profile": profile_id})
            for fact_id, chat in cursor.fetchall():
                found.setdefault(fact_id, set()).add(chat)
    return found
