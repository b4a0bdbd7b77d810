-- A year of life of one person: facts with their history, rows of the log of which some are chats with their readings,
-- conversations with summaries. What stands in braces is filled in by bench.dashboard.
INSERT INTO entities (id, profile_id, kind) SELECT gen_random_uuid(), {profile},
  (ARRAY['person', 'pet', 'project'])[1 + n % 3] FROM generate_series(1, 200) n;
INSERT INTO personal_facts (id, profile_id, key, value, value_norm, terms, category, state, cardinality, confidence,
  importance, source_kind, quote, reasons, op, stance, pinned, sensitive, edit_count, evidence_count, said_at,
  first_seen_at, last_confirmed_at, valid_to, deleted_at, prompt_version, model, version, was_state, entity_id)
SELECT gen_random_uuid(), {profile}, key, value, value, ARRAY[]::bigint[], 'fact', state, 'one', (n % 97) / 97.0, 0.5,
  'extracted', 'these are the very words', '{{}}', 'set', 'asserted', n % 5 = 0, false, n % 3, 1, at, at, at,
  CASE state WHEN 'superseded' THEN at END, CASE state WHEN 'deleted' THEN now() END, '', '', 1,
  CASE state WHEN 'deleted' THEN 'current' ELSE '' END, (SELECT id FROM entities ORDER BY id OFFSET n % 200 LIMIT 1)
  FROM (
    SELECT n, state, (ARRAY['tea', 'dog', 'tram', 'garden', 'violin', 'river', 'sister', 'map', 'tent', 'book'])
      [1 + n % 10] || '.' || CASE state WHEN 'pending' THEN 'current' ELSE state END || n AS key,
      'number ' || n || ' of what is known, such as ' || md5((n * 7)::text) || state AS value,
      now() - n * interval '40 minutes' AS at
    FROM (VALUES ('current', {facts}), ('pending', {facts} / 10), ('superseded', {facts} / 5), ('deleted', 300))
      kind (state, many), LATERAL generate_series(1, many) n
  ) told;
INSERT INTO fact_entities (profile_id, fact_id, entity_id, by, role, name, name_key, first_key)
SELECT {profile}, id, entity_id, 'value', '', 'Beans ' || left(entity_id::text, 4), 'beans ' || left(entity_id::text, 4),
  'beans' FROM personal_facts WHERE profile_id = {profile};
INSERT INTO conversations (id, profile_id, space_id, client_id, last_said_at)
SELECT gen_random_uuid(), {profile}, {space}, 'talk ' || n, now() - n * interval '20 minutes'
  FROM generate_series(1, 5000) n;
CREATE TEMP TABLE talks AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM conversations
 WHERE profile_id = {profile};
INSERT INTO audit_log (profile_id, event_type, at, said_at, actor, conversation_id, space_id, mine_facts, mine_summary,
  payload)
SELECT {profile}, kind, at, CASE kind WHEN 'chat.completed' THEN at END, 'person', talks.id, {space},
  kind = 'chat.completed', kind = 'chat.completed', CASE kind WHEN 'chat.completed' THEN jsonb_build_object(
    'messages', jsonb_build_array(jsonb_build_object('role', 'user', 'text', 'What I told on this day, number ' || happened.n)),
    'answer', jsonb_build_object('text', 'Noted, thank you.'), 'facts', '[]'::jsonb, 'episodes', '[]'::jsonb)
  ELSE jsonb_build_object('key', 'tea.current' || happened.n % 1000, 'value', 'number ' || happened.n) END
  FROM (
    SELECT n, now() - ({rows} - n) * (interval '1 day' * {days} / {rows}) AS at, CASE WHEN n % {of} = 0
      THEN 'chat.completed' WHEN n % 10007 = 1 THEN 'memory.sensitive.refused' WHEN n % 3 = 0 THEN 'memory.fact.added'
      WHEN n % 3 = 1 THEN 'memory.fact.confirmed' ELSE 'memory.episode.recalled' END AS kind
    FROM generate_series(1, {rows}) n
  ) happened JOIN talks ON talks.n = happened.n % 5000;
INSERT INTO episode_summaries (id, profile_id, space_id, conversation_id, summary, details, terms, source_audit_ids,
  said_at, recall_count, prompt_version, model)
SELECT gen_random_uuid(), {profile}, {space}, id, 'What was discussed in talk ' || n || ' at some length, so that it '
  || 'reads as summaries do, with what was decided and what is open.', '{{"people": ["Maren"]}}', ARRAY[]::bigint[],
  '{{}}', now() - n * interval '20 minutes', n % 9, '', '' FROM talks;
INSERT INTO work_items (profile_id, conversation_id, audit_id, kind, state, said_at, attempts, outages, worker, outcome,
  detail, error_code, error, raw_reply, prompt_version, model, calls, input_tokens, output_tokens, finished_at)
SELECT {profile}, conversation_id, a.id, kind, state, a.at, 0, 0, '', 'learned', '{{}}',
  CASE state WHEN 'done' THEN '' ELSE 'model_down' END, CASE state WHEN 'done' THEN '' ELSE 'It does not answer.' END,
  '', '', 'openai/small-' || a.id % 2, 1, 700, 80, CASE state WHEN 'waiting' THEN NULL ELSE a.at END
  FROM audit_log a CROSS JOIN (VALUES ('extract'), ('summarise')) kinds (kind), LATERAL (SELECT CASE
    WHEN a.id % 997 = 0 THEN 'dead' WHEN a.id % 499 = 0 THEN 'waiting' ELSE 'done' END AS state) stand
 WHERE a.profile_id = {profile} AND event_type = 'chat.completed';
