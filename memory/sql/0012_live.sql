-- Tells whoever watches a person's log that it has grown.
--
-- NOTIFY makes transactions commit one after the other, so it is used only while somebody watches: a watcher holds a
-- shared lock on the person, and a writer that cannot have the lock alone has a watcher (or another writer) beside it.
-- A statement about very many people at once takes no more than 100 such locks; their pages look again another time.
CREATE FUNCTION audit_log_tell() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE whose uuid;
BEGIN
  FOR whose IN SELECT DISTINCT profile_id FROM fresh WHERE profile_id IS NOT NULL LIMIT 100 LOOP
    IF NOT pg_try_advisory_xact_lock(hashtextextended('caesar.live ' || whose, 0)) THEN
      PERFORM pg_notify('caesar_audit', whose::text);
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER INSERT ON audit_log REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION audit_log_tell();
