-- The facts that claims may touch, locked in the order of ids, each with those of some chats that are evidence for it.
--
-- %(profile)s; the claims' %(keys)s; the values of those without a key, %(loose)s; the values that the person asks to
-- forget, %(forget)s, which may stand under any key, with what became of values without one; %(chats)s (audit ids);
-- all values of the claims, %(values)s. Beside what the claims are about, these are the deleted facts that the same
-- chats taught, and those whose value stands in one of the claims' values.
-- Each way to a fact is a query of its own, so that one that is not asked for costs nothing; each fact is looked up by
-- its id, so that a planner without statistics cannot begin with all of them.
WITH about AS MATERIALIZED (
  SELECT id FROM personal_facts WHERE profile_id = %(profile)s AND key = ANY (%(keys)s)
  UNION
  SELECT id FROM personal_facts
   WHERE cardinality(%(loose)s::text[]) > 0
     AND profile_id = %(profile)s AND key IS NULL AND value_norm = ANY (%(loose)s)
  UNION
  SELECT id FROM personal_facts
   WHERE cardinality(%(forget)s::text[]) > 0 AND profile_id = %(profile)s AND value_norm = ANY (%(forget)s)
  UNION
  SELECT o.id FROM personal_facts n JOIN personal_facts o ON o.superseded_by_id = n.id
   WHERE cardinality(%(forget)s::text[]) > 0
     AND n.profile_id = %(profile)s AND n.key IS NULL AND n.value_norm = ANY (%(forget)s)
  UNION
  SELECT s.fact_id FROM fact_sources s
   CROSS JOIN LATERAL (SELECT state FROM personal_facts p WHERE p.id = s.fact_id OFFSET 0) d
   WHERE s.profile_id = %(profile)s AND s.audit_id = ANY (%(chats)s) AND d.state = 'deleted'
  UNION
  SELECT id FROM personal_facts
   WHERE profile_id = %(profile)s AND state = 'deleted' AND length(value_norm) > 3
     AND EXISTS (SELECT FROM unnest(%(values)s::text[]) v (norm) WHERE strpos(v.norm, value_norm) > 0)
  ORDER BY id
)
SELECT f.*, ARRAY(SELECT s.audit_id FROM fact_sources s WHERE s.fact_id = f.id AND s.audit_id = ANY (%(chats)s)) AS heard
  FROM about CROSS JOIN LATERAL (SELECT * FROM personal_facts p WHERE p.id = about.id FOR UPDATE) f
 ORDER BY f.id
