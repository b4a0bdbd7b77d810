-- The passages with these ids and those at these places of conversations, in this space, said in this time. With each
-- what its rank needs: how near it is, which of the question's terms it holds (a bit for each), where it stands, its
-- length, when it was said (in seconds since 1970) and by whom.
WITH wanted AS (
  SELECT id FROM unnest(%(ids)s::uuid[]) AS i (id)
  UNION
  SELECT p.id FROM unnest(%(conversations)s::uuid[], %(positions)s::integer[]) AS w (conversation, position)
    -- One by one, here and below: else a plan may read all passages of the profile.
    CROSS JOIN LATERAL (SELECT o.id FROM passages o
                         WHERE o.conversation_id = w.conversation AND o.position = w.position OFFSET 0) p
)
SELECT p.id::text, c.cosine,
       (SELECT coalesce(bit_or(1::bigint << (t.no - 1)::integer), 0)
          FROM unnest(%(terms)s::bigint[]) WITH ORDINALITY t (term, no) WHERE t.term = ANY (p.terms)),
       encode(uuid_send(p.conversation_id), 'hex'), p.position, p.length, date_part('epoch', p.said_at),
       p.role = 'assistant', p.speaker
  FROM wanted CROSS JOIN LATERAL (SELECT o.* FROM passages o WHERE o.id = wanted.id LIMIT 1) p
  LEFT JOIN search_cosines('passage', %(identity)s, %(dim)s, %(vector)s, ARRAY (SELECT id FROM wanted)) c
    ON c.owner_id = p.id
 WHERE p.profile_id = %(profile)s AND p.space_id = %(space)s AND p.said_at BETWEEN %(since)s AND %(until)s
