-- Turns finished chats into work items and moves the cursor, in one statement under the cursor's row lock.
--
-- Ids are drawn before commit, so the log is read in order of transaction and only below (%(below)s) the oldest that
-- is still open: what commits late has a later place. %(kind)s, %(most)s rows.
WITH place AS (
  SELECT xid, audit_id FROM memory_cursor WHERE kind = %(kind)s FOR UPDATE SKIP LOCKED
),
fresh AS (
  SELECT a.id, a.xid, a.profile_id, a.conversation_id, a.said_at, a.mine_facts, a.mine_summary
    FROM audit_log a
   WHERE a.event_type = 'chat.completed'
     -- Two values and no join: only so does the index begin at the place, and not at the beginning of the log.
     AND (a.xid, a.id) > ((SELECT xid FROM place), (SELECT audit_id FROM place))
     AND a.xid < %(below)s::xid8
   ORDER BY a.xid, a.id
   LIMIT %(most)s
),
made AS (
  INSERT INTO work_items (profile_id, conversation_id, audit_id, kind, state, said_at, attempts, outages, worker, outcome,
                          detail, error_code, error, raw_reply, prompt_version, model, calls, input_tokens, output_tokens)
  SELECT f.profile_id, f.conversation_id, f.id, %(kind)s, 'waiting', f.said_at, 0, 0, '', '', '{}', '', '', '', '', '', 0, 0, 0
    FROM fresh f
   WHERE f.conversation_id IS NOT NULL
     -- What was imported gets its items when its turn comes.
     AND NOT EXISTS (SELECT FROM imported_chats i WHERE i.audit_id = f.id)
     AND CASE %(kind)s WHEN 'extract' THEN f.mine_facts ELSE f.mine_summary END
   ON CONFLICT (audit_id, kind) DO NOTHING
  RETURNING 1
),
moved AS (
  UPDATE memory_cursor c
     SET xid = coalesce(l.xid, c.xid), audit_id = coalesce(l.id, c.audit_id), ticked_at = clock_timestamp()
    FROM place LEFT JOIN (SELECT xid, id FROM fresh ORDER BY xid DESC, id DESC LIMIT 1) l ON true
   WHERE c.kind = %(kind)s
  RETURNING 1
)
SELECT (SELECT count(*) FROM moved), (SELECT count(*) FROM fresh), (SELECT count(*) FROM made)
