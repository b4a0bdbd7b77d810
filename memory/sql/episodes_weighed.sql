-- Of these conversations those of this space, each with what its rank needs: how near it is, and which of the
-- question's terms it holds (a bit for each).
SELECT s.id, c.cosine,
       (SELECT coalesce(bit_or(1::bigint << (t.no - 1)::integer), 0)
          FROM unnest(%(terms)s::bigint[]) WITH ORDINALITY t (term, no) WHERE t.term = ANY (s.terms)),
       date_part('epoch', %(now)s - s.said_at),
       s.recall_count
  FROM unnest(%(ids)s::uuid[]) AS i (id)
  -- One by one: else a plan may read all of the profile.
 CROSS JOIN LATERAL (SELECT o.* FROM episode_summaries o WHERE o.id = i.id LIMIT 1) s
  LEFT JOIN search_cosines('episode', %(identity)s, %(dim)s, %(vector)s, %(ids)s::uuid[]) c ON c.owner_id = s.id
 WHERE s.profile_id = %(profile)s AND s.space_id = %(space)s
