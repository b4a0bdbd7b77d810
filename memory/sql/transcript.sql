-- Some chats (%(audit_ids)s) of a conversation (%(conversation_id)s) that stand behind a row of the log (%(after)s), and
-- the one before them, oldest first: when and where it was said, its messages, its answer, and whether it was asked for.
--
-- Only what may be read for facts (%(facts)s) and for summaries (%(summaries)s), as `memory.consent` says it.
WITH chats AS NOT MATERIALIZED (
  SELECT a.id, a.said_at, a.space_id, a.payload
    FROM audit_log a JOIN profiles p ON p.id = a.profile_id JOIN spaces s ON s.id = a.space_id
   WHERE a.conversation_id = %(conversation_id)s AND a.event_type = 'chat.completed' AND a.id > %(after)s
     AND p.erasing_at IS NULL
     AND (NOT %(facts)s OR (a.mine_facts AND p.memory_enabled AND s.memory_enabled
                            AND a.id > p.memory_from_id AND a.id > s.memory_from_id))
     AND (NOT %(summaries)s OR (a.mine_summary AND p.summaries_enabled AND s.summaries_enabled
                                AND a.id > p.summaries_from_id AND a.id > s.summaries_from_id))
),
wanted AS MATERIALIZED (SELECT * FROM chats WHERE id = ANY (%(audit_ids)s::bigint[])),
-- Of a long conversation, only the last few rows are looked at.
near AS (SELECT * FROM chats WHERE id < (SELECT min(id) FROM wanted) ORDER BY id DESC LIMIT 5),
before AS (SELECT * FROM near WHERE said_at < (SELECT min(said_at) FROM wanted) ORDER BY said_at DESC, id DESC LIMIT 1)
SELECT id, said_at, space_id, payload -> 'messages', payload -> 'answer', fresh
  FROM (SELECT *, false AS fresh FROM before UNION ALL SELECT *, true FROM wanted) shown
 ORDER BY fresh, said_at, id
