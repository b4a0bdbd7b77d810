-- The second wall between profiles for the new tables, as for all others.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['fact_entities', 'key_aliases'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own ON %I TO caesar_app USING (profile_id = caesar_profile())', name);
    EXECUTE format('CREATE POLICY operator ON %I TO caesar_operator USING (true)', name);
  END LOOP;
END $$;
