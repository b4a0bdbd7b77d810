-- Search: what waits for a vector, what becomes of vectors whose owner changes, and the reads under row-level security.
--
-- caesar_search owns the functions that search. Operators such as `@>` are not leakproof, so under a policy their index
-- is not used; these functions are under none and take the profile from the session alone. Nobody logs in as it.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'caesar_search') THEN
    CREATE ROLE caesar_search NOLOGIN;
  END IF;
  IF NOT pg_has_role(current_user, 'caesar_search', 'SET') THEN
    GRANT caesar_search TO CURRENT_USER WITH INHERIT FALSE, SET TRUE;
  END IF;
END $$;

ALTER TABLE embed_queue ENABLE ROW LEVEL SECURITY;
ALTER TABLE embed_queue FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON embed_queue TO caesar_app USING (profile_id = caesar_profile());
CREATE POLICY operator ON embed_queue TO caesar_operator USING (true);
CREATE POLICY claim ON embed_queue TO caesar_claim USING (true);
GRANT SELECT (id, profile_id, owner_kind, owner_id, priority, queued_at, not_before, attempts, token),
      UPDATE (not_before, token) ON embed_queue TO caesar_claim;

-- Embedders are the installation's. A person's transaction reads which there are.
REVOKE INSERT, UPDATE, DELETE ON embedding_identities FROM caesar_app;
GRANT SELECT ON embedding_identities TO caesar_claim;

-- Vectors of up to 4,000 dimensions stay in their row, where a scan finds them without a second look-up.
ALTER TABLE embeddings SET (toast_tuple_target = 8160);

-- What waits.
CREATE FUNCTION embed_later(kind text, owner uuid, whose uuid, urgency integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO embed_queue (profile_id, owner_kind, owner_id, priority) VALUES (whose, kind, owner, urgency)
  ON CONFLICT (owner_kind, owner_id) DO UPDATE SET token = NULL, not_before = now(), attempts = 0, error = '' $$;
CREATE FUNCTION embed_never(kind text, owner uuid) RETURNS void LANGUAGE sql AS $$
  -- The queue first: whoever is about to write the vector holds the row there.
  DELETE FROM embed_queue WHERE owner_kind = kind AND owner_id = owner;
  DELETE FROM embeddings WHERE owner_kind = kind AND owner_id = owner $$;

CREATE FUNCTION personal_facts_to_embed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM embed_later('fact', NEW.id, NEW.profile_id, 0);
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM embed_never('fact', OLD.id);
  ELSE
    IF OLD.state = 'current' THEN PERFORM embed_never('fact', OLD.id); END IF;
    IF NEW.state = 'current' THEN PERFORM embed_later('fact', NEW.id, NEW.profile_id, 0); END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER embed_new AFTER INSERT ON personal_facts FOR EACH ROW
  WHEN (NEW.state = 'current') EXECUTE FUNCTION personal_facts_to_embed();
CREATE TRIGGER embed_changed AFTER UPDATE OF state, key, value ON personal_facts FOR EACH ROW
  WHEN ((OLD.state = 'current' OR NEW.state = 'current')
        AND (OLD.state, OLD.key, OLD.value) IS DISTINCT FROM (NEW.state, NEW.key, NEW.value))
  EXECUTE FUNCTION personal_facts_to_embed();
CREATE TRIGGER embed_gone AFTER DELETE ON personal_facts FOR EACH ROW
  WHEN (OLD.state = 'current') EXECUTE FUNCTION personal_facts_to_embed();

CREATE FUNCTION texts_to_embed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP IN ('UPDATE', 'DELETE') THEN PERFORM embed_never(TG_ARGV[0], OLD.id); END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN PERFORM embed_later(TG_ARGV[0], NEW.id, NEW.profile_id, TG_ARGV[1]::integer); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER embed_new AFTER INSERT OR DELETE ON episode_summaries FOR EACH ROW
  EXECUTE FUNCTION texts_to_embed('episode', '0');
CREATE TRIGGER embed_changed AFTER UPDATE OF summary ON episode_summaries FOR EACH ROW
  WHEN (OLD.summary IS DISTINCT FROM NEW.summary) EXECUTE FUNCTION texts_to_embed('episode', '0');
CREATE TRIGGER embed_new AFTER INSERT OR DELETE ON passages FOR EACH ROW
  EXECUTE FUNCTION texts_to_embed('passage', '1');

-- One index for each embedder, made while it has no vectors yet.
CREATE FUNCTION embedding_index(identity text, dim integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM embedding_identities i WHERE i.name = embedding_index.identity AND i.dim = embedding_index.dim) THEN
    RAISE EXCEPTION 'there is no such embedder' USING ERRCODE = 'restrict_violation';
  END IF;
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON embeddings USING hnsw ((vector::halfvec(%s)) halfvec_ip_ops)'
                 ' WHERE identity = %L', 'embeddings_' || left(md5(identity), 16), dim, identity);
END $$;
CREATE FUNCTION embedding_index_drop(identity text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM embedding_identities i WHERE i.name = identity AND i.state = 'active') THEN
    RAISE EXCEPTION 'recall searches by this embedder' USING ERRCODE = 'restrict_violation';
  END IF;
  EXECUTE format('DROP INDEX IF EXISTS %I', 'embeddings_' || left(md5(identity), 16));
END $$;
REVOKE ALL ON FUNCTION embedding_index(text, integer), embedding_index_drop(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION embedding_index(text, integer), embedding_index_drop(text) TO caesar_operator;

-- The reads. Scope and state are filtered here, before anything is ranked.
GRANT USAGE ON SCHEMA public TO caesar_search;
GRANT SELECT ON personal_facts, episode_summaries, passages, embeddings TO caesar_search;
CREATE POLICY search ON personal_facts FOR SELECT TO caesar_search USING (true);
CREATE POLICY search ON episode_summaries FOR SELECT TO caesar_search USING (true);
CREATE POLICY search ON passages FOR SELECT TO caesar_search USING (true);
CREATE POLICY search ON embeddings FOR SELECT TO caesar_search USING (true);

-- What may be found of a kind, as a condition on the owner `o`: $2 the space, $3 and $4 the time it was said in.
CREATE FUNCTION search_scope(kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind
    WHEN 'fact' THEN 'o.state = ''current'' AND (o.expires_at IS NULL OR o.expires_at > now())'
                     ' AND (o.space_id IS NULL OR o.space_id = $2) AND o.first_seen_at BETWEEN $3 AND $4'
    WHEN 'episode' THEN 'o.space_id = $2 AND o.said_at BETWEEN $3 AND $4'
    WHEN 'passage' THEN 'o.space_id = $2 AND o.said_at BETWEEN $3 AND $4'
  END $$;
CREATE FUNCTION search_table(kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind WHEN 'fact' THEN 'personal_facts' WHEN 'episode' THEN 'episode_summaries' WHEN 'passage' THEN 'passages' END $$;
-- The identity is a literal, or its index is not used.
CREATE FUNCTION search_exact_sql(kind text, identity text, dim integer) RETURNS text LANGUAGE sql STABLE AS $$
  -- All are compared, then owners are looked up from the nearest on, until there are enough that may be found.
  -- `+ 0` keeps the index out.
  SELECT format('SELECT o.id, (-e.distance)::real FROM (SELECT v.owner_id, (v.vector::halfvec(%1$s) <#> $1) + 0 AS distance'
                ' FROM embeddings v WHERE v.identity = %3$L AND v.owner_kind = %4$L AND v.profile_id = %5$L'
                ' ORDER BY distance OFFSET 0) e'
                ' JOIN %2$s o ON o.id = e.owner_id AND o.profile_id = %5$L AND %6$s ORDER BY e.distance LIMIT $5',
                dim, search_table(kind), identity, kind, caesar_profile(), search_scope(kind)) $$;
CREATE FUNCTION search_indexed_sql(kind text, identity text, dim integer) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT format('SELECT o.id, (-(e.vector::halfvec(%1$s) <#> $1))::real'
                ' FROM embeddings e JOIN %2$s o ON o.id = e.owner_id AND o.profile_id = e.profile_id'
                ' WHERE e.identity = %3$L AND e.owner_kind = %4$L AND e.profile_id = %5$L AND %6$s'
                ' ORDER BY e.vector::halfvec(%1$s) <#> $1 LIMIT $5',
                dim, search_table(kind), identity, kind, caesar_profile(), search_scope(kind)) $$;

CREATE FUNCTION search_exact(kind text, identity text, dim integer, query text, space uuid, since timestamptz,
                             until timestamptz, most integer)
  RETURNS TABLE (owner_id uuid, cosine real)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET jit = off
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  RETURN QUERY EXECUTE search_exact_sql(kind, identity, dim) USING query::halfvec, space, since, until, most;
END $$;
CREATE FUNCTION search_indexed(kind text, identity text, dim integer, query text, space uuid, since timestamptz,
                               until timestamptz, most integer)
  RETURNS TABLE (owner_id uuid, cosine real)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET jit = off
  SET enable_sort = off AS $$
DECLARE wanted CONSTANT halfvec := query;  -- which loads the library that knows the settings
BEGIN
  PERFORM set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '100', true);
  RETURN QUERY EXECUTE search_indexed_sql(kind, identity, dim) USING wanted, space, since, until, most;
END $$;
-- How near some owners are that something else has found; nothing where there is no question's vector.
CREATE FUNCTION search_cosines(kind text, identity text, dim integer, query text, owners uuid[])
  RETURNS TABLE (owner_id uuid, cosine real)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
BEGIN
  IF query IS NULL THEN RETURN; END IF;
  -- One by one: else a plan may read all vectors of the profile.
  RETURN QUERY EXECUTE format(
    'SELECT o.id, (-(e.vector::halfvec(%1$s) <#> $1))::real FROM unnest($2) o (id) CROSS JOIN LATERAL'
    ' (SELECT v.vector FROM embeddings v WHERE v.owner_kind = %2$L AND v.owner_id = o.id AND v.identity = %3$L'
    ' AND v.profile_id = %4$L LIMIT 1) e',
    dim, kind, identity, caesar_profile()) USING query::halfvec, owners;
END $$;
-- How many owners hold each of the terms (numbered from 0), counted up to a bound, and which where they are few.
CREATE FUNCTION search_terms(kind text, terms bigint[], space uuid, since timestamptz, until timestamptz,
                             count_to integer, most integer)
  RETURNS TABLE (term_no integer, df integer, owners uuid[])
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT t.no::integer - 1, f.df, f.owners FROM unnest($1) WITH ORDINALITY t (term, no) CROSS JOIN LATERAL'
    ' (SELECT count(*)::integer AS df, CASE WHEN count(*) <= $6 THEN array_agg(h.id) END AS owners FROM'
    ' (SELECT o.id FROM %1$s o WHERE o.terms @> ARRAY[t.term] AND o.profile_id = %2$L AND %3$s LIMIT $5) h) f'
    ' WHERE f.df > 0',
    search_table(kind), caesar_profile(), search_scope(kind)) USING terms, space, since, until, count_to, most;
END $$;

-- Where in the conversations each of the terms (numbered from 0) stands, where not too many passages hold it:
-- 16 bytes of a conversation, 4 of a position and 4 of a length for each. Bytes, since they are many.
CREATE FUNCTION search_places(terms bigint[], space uuid, since timestamptz, until timestamptz, count_to integer,
                              most integer)
  RETURNS TABLE (term_no integer, df integer, conversations bytea, positions bytea, lengths bytea)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET jit = off AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT t.no::integer - 1, f.df, f.conversations, f.positions, f.lengths'
    ' FROM unnest($1) WITH ORDINALITY t (term, no) CROSS JOIN LATERAL (SELECT count(*)::integer AS df,'
    ' CASE WHEN count(*) <= $6 THEN string_agg(uuid_send(h.conversation_id), '''') END AS conversations,'
    ' CASE WHEN count(*) <= $6 THEN string_agg(int4send(h.position), '''') END AS positions,'
    ' CASE WHEN count(*) <= $6 THEN string_agg(int4send(h.length), '''') END AS lengths'
    ' FROM (SELECT o.conversation_id, o.position, o.length FROM passages o'
    ' WHERE o.terms @> ARRAY[t.term] AND o.profile_id = %1$L AND %2$s LIMIT $5) h) f WHERE f.df > 0',
    caesar_profile(), search_scope('passage')) USING terms, space, since, until, count_to, most;
END $$;

REVOKE ALL ON FUNCTION search_exact(text, text, integer, text, uuid, timestamptz, timestamptz, integer),
  search_indexed(text, text, integer, text, uuid, timestamptz, timestamptz, integer),
  search_cosines(text, text, integer, text, uuid[]),
  search_terms(text, bigint[], uuid, timestamptz, timestamptz, integer, integer),
  search_places(bigint[], uuid, timestamptz, timestamptz, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_exact(text, text, integer, text, uuid, timestamptz, timestamptz, integer),
  search_indexed(text, text, integer, text, uuid, timestamptz, timestamptz, integer),
  search_cosines(text, text, integer, text, uuid[]),
  search_terms(text, bigint[], uuid, timestamptz, timestamptz, integer, integer),
  search_places(bigint[], uuid, timestamptz, timestamptz, integer, integer) TO caesar_app;
GRANT CREATE ON SCHEMA public TO caesar_search;
ALTER FUNCTION search_exact(text, text, integer, text, uuid, timestamptz, timestamptz, integer) OWNER TO caesar_search;
ALTER FUNCTION search_indexed(text, text, integer, text, uuid, timestamptz, timestamptz, integer) OWNER TO caesar_search;
ALTER FUNCTION search_cosines(text, text, integer, text, uuid[]) OWNER TO caesar_search;
ALTER FUNCTION search_terms(text, bigint[], uuid, timestamptz, timestamptz, integer, integer) OWNER TO caesar_search;
ALTER FUNCTION search_places(bigint[], uuid, timestamptz, timestamptz, integer, integer) OWNER TO caesar_search;
REVOKE CREATE ON SCHEMA public FROM caesar_search;
