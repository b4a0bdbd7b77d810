-- The facts that claims may touch, locked in the order of ids, each with those of some chats that are evidence for it.
--
-- %(profile)s; the claims' %(keys)s; the values of those without a key, %(loose)s; the values that the person asks to
-- forget, %(forget)s, which may stand under any key, with what became of values without one; %(chats)s (audit ids).
SELECT f.*, ARRAY(SELECT s.audit_id FROM fact_sources s WHERE s.fact_id = f.id AND s.audit_id = ANY (%(chats)s)) AS heard
  FROM personal_facts f
 WHERE f.profile_id = %(profile)s
   AND (f.key = ANY (%(keys)s)
        OR (f.key IS NULL AND f.value_norm = ANY (%(loose)s))
        OR f.value_norm = ANY (%(forget)s)
        OR f.superseded_by_id IN (SELECT n.id FROM personal_facts n
                                   WHERE n.profile_id = %(profile)s AND n.key IS NULL AND n.value_norm = ANY (%(forget)s)))
 ORDER BY f.id
   FOR UPDATE OF f
