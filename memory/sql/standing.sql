-- The summary of a conversation, and the row of the log up to which nothing is summarised any more, since the person
-- deleted it: one row in any case. %(profile_id)s, %(conversation_id)s.
SELECT (SELECT coalesce(max(a.id), 0) FROM audit_log a
         WHERE a.profile_id = %(profile_id)s AND a.event_type = 'memory.episode.deleted'
           AND a.conversation_id = %(conversation_id)s AND a.payload ->> 'why' IS DISTINCT FROM 'rebuilt'),
       e.id, e.space_id, e.summary, e.details, e.said_at, e.source_audit_ids
  FROM (SELECT) one LEFT JOIN episode_summaries e ON e.conversation_id = %(conversation_id)s
