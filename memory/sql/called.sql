-- The links, of facts that can be seen, whose name begins with one of some words or that are in one of some roles.
--
-- The links are picked before anything is joined: with the row-level policies a planner that has no statistics yet
-- begins with all facts of the person. %(profile)s, %(firsts)s, %(roles)s, %(but)s (facts), %(visible)s (states).
WITH hit AS MATERIALIZED (
  SELECT l.fact_id, l.entity_id, l.by, l.role, l.name, l.name_key FROM fact_entities l
   WHERE l.profile_id = %(profile)s AND l.by <> '' AND l.fact_id <> ALL (%(but)s::uuid[])
     AND (l.first_key = ANY (%(firsts)s) OR l.role = ANY (%(roles)s))
)
SELECT DISTINCT h.entity_id, e.kind, h.by, h.role, h.name, h.name_key, f.state = 'current'
  FROM hit h
  JOIN personal_facts f ON f.id = h.fact_id
  JOIN entities e ON e.id = h.entity_id
 WHERE f.state = ANY (%(visible)s)
 ORDER BY h.entity_id, h.name_key
