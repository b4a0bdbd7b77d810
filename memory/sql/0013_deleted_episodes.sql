-- Takes what the log tells of a conversation's summaries out of it, as the person deleted the summary: that there was
-- one stays. Returns how many rows were touched.
CREATE FUNCTION audit_forget_summaries(conversation uuid) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE touched integer;
BEGIN
  UPDATE audit_log a SET payload = a.payload - 'summary'
   WHERE a.conversation_id = conversation AND a.profile_id = caesar_profile()
     AND a.event_type LIKE 'memory.episode.%' AND a.payload ? 'summary';
  GET DIAGNOSTICS touched = ROW_COUNT;
  RETURN touched;
END $$;
REVOKE ALL ON FUNCTION audit_forget_summaries(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_forget_summaries(uuid) TO caesar_app, caesar_operator;

GRANT CREATE ON SCHEMA public TO caesar_redactor;
ALTER FUNCTION audit_forget_summaries(uuid) OWNER TO caesar_redactor;
REVOKE CREATE ON SCHEMA public FROM caesar_redactor;
