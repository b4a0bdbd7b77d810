-- For whom a conversation (%(conversation_id)s) is read: its space, and what of its profile matters to a reading.
SELECT c.space_id, p.id, p.approval, p.timezone, p.language, p.sensitive_policy
  FROM conversations c JOIN profiles p ON p.id = c.profile_id
 WHERE c.id = %(conversation_id)s
