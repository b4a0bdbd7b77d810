-- Roles, row-level security, and the append-only audit log.
--
-- caesar_app       web and workers while they act for one person: rows of the profile named in caesar.profile_id
-- caesar_web       the web's accounts and sessions (Django's own tables)
-- caesar_claim     workers while they look for work: ids, kinds and times over all profiles, no text
-- caesar_operator  the operator's admin and upkeep: all rows
-- caesar_redactor  owns the few functions that may touch what is append-only; nobody logs in as it
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['caesar_app', 'caesar_web', 'caesar_claim', 'caesar_operator', 'caesar_redactor'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name);
    END IF;
    IF NOT pg_has_role(current_user, name, 'SET') THEN
      EXECUTE format('GRANT %I TO CURRENT_USER WITH INHERIT FALSE, SET TRUE', name);
    END IF;
  END LOOP;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'caesar_service') THEN
    GRANT caesar_app, caesar_web TO caesar_service WITH INHERIT TRUE, SET TRUE;
    GRANT caesar_claim, caesar_operator TO caesar_service WITH INHERIT FALSE, SET TRUE;
  END IF;
END $$;

GRANT USAGE ON SCHEMA public TO caesar_app, caesar_web, caesar_claim, caesar_operator, caesar_redactor;

-- Memory's tables get their policies below.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO caesar_app, caesar_operator;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO caesar_app, caesar_claim, caesar_operator;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO caesar_app, caesar_operator;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO caesar_app, caesar_claim, caesar_operator;

-- Accounts and sessions are no part of anybody's memory: the web's login has them by a role of its own.
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT tablename FROM pg_tables
               WHERE schemaname = 'public' AND (tablename LIKE 'auth\_%' OR tablename LIKE 'django\_%') LOOP
    EXECUTE format('REVOKE ALL ON %I FROM caesar_app', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO caesar_web', name);
  END LOOP;
END $$;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO caesar_web;

CREATE FUNCTION caesar_profile() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('caesar.profile_id', true), '')::uuid $$;
CREATE FUNCTION caesar_user() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('caesar.user_id', true), '')::integer $$;

DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['audit_log', 'conversations', 'message_hashes', 'entities', 'personal_facts', 'fact_sources',
                              'tombstones', 'episode_summaries', 'passages', 'embeddings', 'work_items'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own ON %I TO caesar_app USING (profile_id = caesar_profile())', name);
    EXECUTE format('CREATE POLICY operator ON %I TO caesar_operator USING (true)', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['profiles', 'spaces', 'api_keys'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY operator ON %I TO caesar_operator USING (true)', name);
  END LOOP;
END $$;

CREATE POLICY own ON profiles TO caesar_app USING (id = caesar_profile() OR user_id = caesar_user());
CREATE POLICY own ON spaces TO caesar_app
  USING (profile_id = caesar_profile() OR profile_id IN (SELECT id FROM profiles WHERE user_id = caesar_user()));
CREATE POLICY own ON api_keys TO caesar_app USING (user_id = caesar_user());

-- Workers looking for work see who has some and when it is due.
GRANT SELECT (id, xid, profile_id, event_type, said_at, conversation_id, mine_facts, mine_summary) ON audit_log TO caesar_claim;
GRANT SELECT (id, profile_id, conversation_id, audit_id, kind, state, said_at, not_before, attempts, outages,
              first_failed_at, token, worker, lease_until, finished_at, created_at), INSERT, UPDATE
  ON work_items TO caesar_claim;
GRANT SELECT, INSERT, UPDATE ON memory_cursor TO caesar_claim;
GRANT SELECT, INSERT, UPDATE, DELETE ON model_pauses TO caesar_claim;
CREATE POLICY claim ON audit_log FOR SELECT TO caesar_claim USING (event_type = 'chat.completed');
CREATE POLICY claim ON work_items TO caesar_claim USING (true);

-- The installation's secrets are read, never changed, by those who hash with them.
REVOKE INSERT, UPDATE, DELETE ON installation FROM caesar_app, caesar_operator;
INSERT INTO installation (name, value)
  VALUES ('hash_key', sha256((gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text)::bytea));

-- Append-only: whoever asks, but for the functions that belong to caesar_redactor.
REVOKE UPDATE, DELETE ON audit_log FROM caesar_app, caesar_operator;
CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_user = 'caesar_redactor' THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  RAISE EXCEPTION 'audit_log is append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

-- A fact outlives the chat that taught it; work and evidence do not.
ALTER TABLE personal_facts ADD CONSTRAINT personal_facts_source_audit_fk
  FOREIGN KEY (source_audit_id) REFERENCES audit_log (id) ON DELETE SET NULL;
ALTER TABLE fact_sources ADD CONSTRAINT fact_sources_audit_fk
  FOREIGN KEY (audit_id) REFERENCES audit_log (id) ON DELETE CASCADE;
ALTER TABLE work_items ADD CONSTRAINT work_items_audit_fk
  FOREIGN KEY (audit_id) REFERENCES audit_log (id) ON DELETE CASCADE;

-- What may touch the log belongs to caesar_redactor and sees the session's profile alone.
CREATE POLICY redactor ON audit_log TO caesar_redactor USING (profile_id = caesar_profile());
GRANT SELECT, UPDATE, DELETE ON audit_log TO caesar_redactor;

-- Who a key belongs to, before any profile is known. Owned by a role that may read the keys.
CREATE FUNCTION api_key_owner(wanted bytea)
  RETURNS TABLE (id uuid, user_id integer, profile_id uuid, digest bytea, last_used_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.id, k.user_id, k.profile_id, k.digest, k.last_used_at
    FROM api_keys k JOIN auth_user u ON u.id = k.user_id
   WHERE k.digest = wanted AND k.revoked_at IS NULL AND u.is_active $$;
CREATE FUNCTION api_key_used(wanted uuid) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE api_keys SET last_used_at = now() WHERE id = wanted $$;
CREATE POLICY redactor ON api_keys TO caesar_redactor USING (true);
GRANT SELECT, UPDATE ON api_keys TO caesar_redactor;
GRANT SELECT ON auth_user TO caesar_redactor;
REVOKE ALL ON FUNCTION api_key_owner(bytea), api_key_used(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api_key_owner(bytea), api_key_used(uuid) TO caesar_app, caesar_operator;

GRANT CREATE ON SCHEMA public TO caesar_redactor;
ALTER FUNCTION api_key_owner(bytea) OWNER TO caesar_redactor;
ALTER FUNCTION api_key_used(uuid) OWNER TO caesar_redactor;
REVOKE CREATE ON SCHEMA public FROM caesar_redactor;
