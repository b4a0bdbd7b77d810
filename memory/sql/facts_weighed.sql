-- Of these facts those that hold now, as `memory.selectors.facts_held` has it: current, not expired, profile-wide or of
-- this space, the space's own single value in the place of the profile-wide one. With each what its rank needs: how
-- near it is, which of the question's terms it holds (a bit for each), whether it was used or confirmed of late.
SELECT f.id, c.cosine,
       (SELECT coalesce(bit_or(1::bigint << (t.no - 1)::integer), 0)
          FROM unnest(%(terms)s::bigint[]) WITH ORDINALITY t (term, no) WHERE t.term = ANY (f.terms)),
       f.importance,
       greatest(f.last_confirmed_at, f.last_used_at) >= %(recent)s
  FROM unnest(%(ids)s::uuid[]) AS i (id)
  -- One by one: else a plan may read all of the profile.
 CROSS JOIN LATERAL (SELECT o.* FROM personal_facts o WHERE o.id = i.id LIMIT 1) f
  LEFT JOIN search_cosines('fact', %(identity)s, %(dim)s, %(vector)s, %(ids)s::uuid[]) c ON c.owner_id = f.id
 WHERE f.profile_id = %(profile)s AND f.state = 'current'
   AND (f.expires_at IS NULL OR f.expires_at > now())
   AND (f.space_id = %(space)s OR f.space_id IS NULL AND NOT EXISTS (
         SELECT FROM personal_facts own
          WHERE own.profile_id = f.profile_id AND own.space_id = %(space)s AND own.key = f.key
            AND own.cardinality = 'one' AND f.cardinality = 'one' AND own.state = 'current'
            AND (own.expires_at IS NULL OR own.expires_at > now())))
