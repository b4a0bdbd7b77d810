-- Takes rows of the session's profile (or, where none is named, rows of nobody's) that are older than a time out of the
-- log. The operator's upkeep alone may do so. Returns how many went.
CREATE FUNCTION audit_sweep(ids bigint[], before timestamptz) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE gone integer;
BEGIN
  DELETE FROM audit_log a
   WHERE a.id = ANY (ids) AND a.at < before AND a.profile_id IS NOT DISTINCT FROM caesar_profile();
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
CREATE POLICY redactor_nobodys ON audit_log TO caesar_redactor
  USING (profile_id IS NULL AND caesar_profile() IS NULL);
REVOKE ALL ON FUNCTION audit_sweep(bigint[], timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_sweep(bigint[], timestamptz) TO caesar_operator;

GRANT CREATE ON SCHEMA public TO caesar_redactor;
ALTER FUNCTION audit_sweep(bigint[], timestamptz) OWNER TO caesar_redactor;
REVOKE CREATE ON SCHEMA public FROM caesar_redactor;
