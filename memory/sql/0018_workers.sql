-- Workers tell of themselves, and may run under a login of their own.
--
-- caesar_worker  what a worker on any host needs: people's memory and the work on it, no account and no session
REVOKE INSERT, UPDATE, DELETE ON workers FROM caesar_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON workers TO caesar_claim;
-- Whether the tables are those that a worker was written for.
GRANT SELECT ON django_migrations TO caesar_claim;

DO $$
DECLARE name text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'caesar_worker') THEN
    CREATE ROLE caesar_worker NOLOGIN;
  END IF;
  IF NOT pg_has_role(current_user, 'caesar_worker', 'SET') THEN
    GRANT caesar_worker TO CURRENT_USER WITH INHERIT FALSE, SET TRUE;
  END IF;
  GRANT caesar_app, caesar_claim, caesar_operator TO caesar_worker WITH INHERIT FALSE, SET TRUE;
END $$;

-- Accounts and sessions have rows only for logins that are the web's, whatever role they take.
CREATE FUNCTION caesar_web_only(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('CREATE POLICY web ON %I USING (pg_has_role(session_user, ''caesar_web'', ''MEMBER''))', name);
END $$;
REVOKE ALL ON FUNCTION caesar_web_only(text) FROM PUBLIC;
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT tablename FROM pg_tables
               WHERE schemaname = 'public'
                 AND (tablename LIKE 'auth\_user%' OR tablename IN ('django_session', 'django_admin_log')) LOOP
    PERFORM caesar_web_only(name);
  END LOOP;
END $$;
