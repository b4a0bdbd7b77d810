-- Writes a conversation's summary in place of the one (%(replaces)s, which said %(old)s) that it was made from, or
-- the first one where %(replaces)s is null. Gives its id, or no row where another one stands there by now.
WITH changed AS (
  UPDATE episode_summaries
     SET summary = %(summary)s, details = %(details)s::jsonb, terms = %(terms)s::bigint[],
         source_audit_ids = %(audit_ids)s::bigint[], said_at = %(said_at)s, prompt_version = %(prompt_version)s,
         model = %(model)s, updated_at = now()
   WHERE id = %(replaces)s::uuid AND summary = %(old)s
  RETURNING id
),
made AS (
  INSERT INTO episode_summaries (id, profile_id, space_id, conversation_id, summary, details, terms, source_audit_ids,
                                 said_at, recall_count, prompt_version, model)
  SELECT %(id)s, %(profile_id)s, %(space_id)s, %(conversation_id)s, %(summary)s, %(details)s::jsonb,
         %(terms)s::bigint[], %(audit_ids)s::bigint[], %(said_at)s, 0, %(prompt_version)s, %(model)s
   WHERE %(replaces)s::uuid IS NULL
  ON CONFLICT (conversation_id) DO NOTHING
  RETURNING id
)
SELECT id FROM changed UNION ALL SELECT id FROM made
