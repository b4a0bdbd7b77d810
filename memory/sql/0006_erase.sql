-- Takes rows of the session's profile out of the log, a bounded number at a time; only while that profile is being
-- erased, so that nothing else can empty the log of somebody who stays. Returns how many went.
CREATE FUNCTION audit_erase(most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE gone integer;
BEGIN
  IF NOT EXISTS (SELECT FROM profiles WHERE id = caesar_profile() AND erasing_at IS NOT NULL) THEN
    RAISE EXCEPTION 'this profile is not being erased' USING ERRCODE = 'restrict_violation';
  END IF;
  DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE profile_id = caesar_profile() LIMIT most);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
CREATE POLICY redactor ON profiles FOR SELECT TO caesar_redactor USING (id = caesar_profile());
GRANT SELECT (id, erasing_at) ON profiles TO caesar_redactor;
REVOKE ALL ON FUNCTION audit_erase(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_erase(integer) TO caesar_app, caesar_operator;

GRANT CREATE ON SCHEMA public TO caesar_redactor;
ALTER FUNCTION audit_erase(integer) OWNER TO caesar_redactor;
REVOKE CREATE ON SCHEMA public FROM caesar_redactor;
