-- Takes all due items of one conversation (of those that have failed, one) for one worker, in one statement.
--
-- Fair over profiles: starts after the profile that this worker served last and goes round. Only the first due
-- item of a conversation is ever locked, so two workers never share a conversation; one that is being read
-- waits, and while the model (%(route)s) rests nobody gets any. %(kind)s, %(after)s (profile id), %(token)s,
-- %(worker)s, %(lease)s seconds, %(most)s items.
--
-- Where one call serves two kinds, the one %(takes)s the other's items of the same chats along, and the other
-- %(leaves)s to it what it will take; null where each kind is read for itself.
--
-- `OFFSET 0` and `|| ''` keep look-ups by key what they are, also while there are no statistics about many new items.
WITH RECURSIVE turn (profile_id, n) AS (
  (SELECT w.profile_id, 1 FROM work_items w
    WHERE w.state = 'waiting' AND w.kind = %(kind)s AND w.profile_id > %(after)s AND w.not_before <= now()
    ORDER BY w.profile_id LIMIT 1)
  UNION ALL
  SELECT (SELECT w.profile_id FROM work_items w
           WHERE w.state = 'waiting' AND w.kind = %(kind)s AND w.profile_id > t.profile_id AND w.not_before <= now()
           ORDER BY w.profile_id LIMIT 1), t.n + 1
    FROM turn t WHERE t.profile_id IS NOT NULL AND t.n < 32
),
picked AS MATERIALIZED (
  -- Profile after profile, only as far as the first that has something: no list of all that waits is made.
  SELECT head.id, head.conversation_id, head.attempts
    FROM turn t
   CROSS JOIN LATERAL (
     SELECT w.id, w.conversation_id, w.attempts FROM work_items w
      WHERE w.state = 'waiting' AND w.kind = %(kind)s AND w.profile_id = t.profile_id AND w.not_before <= now()
        AND NOT EXISTS (SELECT FROM work_items r
                         WHERE r.conversation_id = w.conversation_id AND r.kind = w.kind
                           AND r.state IN ('waiting', 'running')
                           AND (r.state = 'running' OR (r.not_before <= now() AND r.id < w.id)) OFFSET 0)
        AND (%(leaves)s::text IS NULL
             OR (NOT EXISTS (SELECT FROM work_items o
                              WHERE o.audit_id = w.audit_id AND o.kind = %(leaves)s
                                AND o.state || '' IN ('waiting', 'running')
                                AND (o.state = 'running' OR o.not_before <= now()) OFFSET 0)
                 -- Of many that are all left, only the first are looked at.
                 AND w.not_before <= coalesce((SELECT b.not_before FROM work_items b
                                                WHERE b.state = 'waiting' AND b.kind = %(kind)s
                                                  AND b.profile_id = t.profile_id AND b.not_before <= now()
                                                ORDER BY b.not_before OFFSET 200 LIMIT 1), now())))
      ORDER BY w.not_before
      LIMIT 1
        FOR UPDATE SKIP LOCKED
   ) head
   WHERE NOT EXISTS (SELECT FROM model_pauses p WHERE p.route = %(route)s AND p.until > now())
   LIMIT 1
),
open AS MATERIALIZED (
  SELECT w.id, w.audit_id, w.state, w.not_before, w.said_at, w.attempts FROM work_items w
   WHERE w.conversation_id = (SELECT conversation_id FROM picked) AND w.kind = %(kind)s
     AND w.state IN ('waiting', 'running')
),
due AS (
  -- What has failed is read alone from then on: one chat that no model can read takes no other along.
  SELECT w.id, w.audit_id, w.said_at, w.attempts, w.id = p.id AS head
    FROM open w CROSS JOIN picked p
   WHERE w.state = 'waiting' AND w.not_before <= now() AND (w.id = p.id OR (p.attempts = 0 AND w.attempts = 0))
     AND (%(leaves)s::text IS NULL
          OR NOT EXISTS (SELECT FROM work_items o
                          WHERE o.audit_id = w.audit_id AND o.kind = %(leaves)s
                            AND o.state || '' IN ('waiting', 'running')
                            AND (o.state = 'running' OR o.not_before <= now()) OFFSET 0))
   ORDER BY head DESC, w.said_at, w.id LIMIT 2 * %(most)s
),
matched AS (
  SELECT d.*, EXISTS (SELECT FROM work_items o
                       WHERE o.audit_id = d.audit_id AND o.kind = %(takes)s AND o.state || '' = 'waiting'
                         AND o.not_before <= now() AND (o.attempts = 0) = (d.attempts = 0)
                         AND NOT EXISTS (SELECT FROM work_items r
                                          WHERE r.conversation_id = o.conversation_id AND r.kind = o.kind
                                            AND r.state = 'running' OFFSET 0) OFFSET 0) AS paired
    FROM due d
),
taken AS MATERIALIZED (
  -- Either chats that are read for both, or such as are not: what one may be read for, the other may not.
  SELECT m.id, m.audit_id, m.paired FROM matched m
   WHERE m.paired = (SELECT h.paired FROM matched h WHERE h.head)
   ORDER BY m.head DESC, m.said_at, m.id LIMIT %(most)s
),
along AS MATERIALIZED (
  SELECT o.id FROM work_items o
   WHERE o.audit_id = ANY (ARRAY (SELECT audit_id FROM taken WHERE paired)) AND o.kind = %(takes)s
     AND o.state || '' = 'waiting' AND o.not_before <= now()
   ORDER BY o.id
     FOR UPDATE SKIP LOCKED
)
UPDATE work_items w
   SET state = 'running', token = %(token)s, worker = %(worker)s,
       lease_until = now() + make_interval(secs => %(lease)s)
 WHERE w.id = ANY (ARRAY (SELECT id FROM taken UNION ALL SELECT id FROM along)) AND w.state || '' = 'waiting'
RETURNING w.id, w.kind, w.profile_id, w.conversation_id, w.audit_id, w.said_at, w.attempts, w.outages, w.first_failed_at,
          EXISTS (SELECT FROM model_pauses p WHERE p.route = %(route)s)
