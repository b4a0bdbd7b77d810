-- The links, of facts that can be seen, whose name begins with one of some words or that are in one of some roles.
--
-- The links are picked first and each fact is looked up by its id: a planner that has no statistics yet would begin
-- with all facts of the person. %(profile)s, %(firsts)s, %(roles)s, %(but)s (facts), %(visible)s (states).
WITH hit AS MATERIALIZED (
  SELECT l.fact_id, l.entity_id, l.by, l.role, l.name, l.name_key FROM fact_entities l
   WHERE l.profile_id = %(profile)s AND l.by <> '' AND l.fact_id <> ALL (%(but)s::uuid[])
     AND (l.first_key = ANY (%(firsts)s) OR l.role = ANY (%(roles)s))
)
SELECT DISTINCT h.entity_id, e.kind, h.by, h.role, h.name, h.name_key, f.state = 'current'
  FROM hit h
  CROSS JOIN LATERAL (SELECT state FROM personal_facts p WHERE p.id = h.fact_id OFFSET 0) f
  CROSS JOIN LATERAL (SELECT kind FROM entities p WHERE p.id = h.entity_id OFFSET 0) e
 WHERE f.state = ANY (%(visible)s)
 ORDER BY h.entity_id, h.name_key
