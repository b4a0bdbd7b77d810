-- Taking the text of deleted facts out of the log, and a pruned conversation out of it. The profile comes from the
-- session alone; only what belongs to caesar_redactor may touch the log.

-- The document with certain texts redacted where they stand in the fields that hold a fact's words, at any depth.
CREATE FUNCTION audit_redacted(doc jsonb, texts text[]) RETURNS jsonb
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp AS $$
BEGIN
  CASE jsonb_typeof(doc)
    WHEN 'object' THEN
      RETURN coalesce((SELECT jsonb_object_agg(e.key, CASE
               WHEN e.key IN ('value', 'quote') AND e.value #>> '{}' = ANY (texts) THEN '"[redacted]"'::jsonb
               ELSE audit_redacted(e.value, texts) END) FROM jsonb_each(doc) e), '{}');
    WHEN 'array' THEN
      RETURN coalesce((SELECT jsonb_agg(audit_redacted(e.value, texts) ORDER BY e.n)
                         FROM jsonb_array_elements(doc) WITH ORDINALITY e (value, n)), '[]');
    ELSE
      RETURN doc;
  END CASE;
END $$;

CREATE FUNCTION audit_redact_texts(ids bigint[], texts text[]) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE touched integer;
BEGIN
  UPDATE audit_log a SET payload = audit_redacted(a.payload, texts)
   WHERE a.id = ANY (ids) AND a.profile_id = caesar_profile() AND a.event_type LIKE 'memory.fact.%';
  GET DIAGNOSTICS touched = ROW_COUNT;
  RETURN touched;
END $$;

-- Takes the chats of one conversation out of the log. What else the log tells about it stays, without the link.
-- Returns how many chats went.
CREATE FUNCTION audit_prune(gone uuid) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE touched integer;
BEGIN
  UPDATE audit_log SET conversation_id = NULL, payload = payload - 'summary' - 'text'
   WHERE conversation_id = gone AND profile_id = caesar_profile() AND event_type <> 'chat.completed';
  DELETE FROM audit_log
   WHERE conversation_id = gone AND profile_id = caesar_profile() AND event_type = 'chat.completed';
  GET DIAGNOSTICS touched = ROW_COUNT;
  RETURN touched;
END $$;

REVOKE ALL ON FUNCTION audit_redacted(jsonb, text[]), audit_redact_texts(bigint[], text[]), audit_prune(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_redacted(jsonb, text[]) TO caesar_redactor;
GRANT EXECUTE ON FUNCTION audit_redact_texts(bigint[], text[]), audit_prune(uuid) TO caesar_app, caesar_operator;

GRANT CREATE ON SCHEMA public TO caesar_redactor;
ALTER FUNCTION audit_redact_texts(bigint[], text[]) OWNER TO caesar_redactor;
ALTER FUNCTION audit_prune(uuid) OWNER TO caesar_redactor;
REVOKE CREATE ON SCHEMA public FROM caesar_redactor;
