-- The newest rows of a person's log of some kinds, found kind by kind: a rare kind among a million rows is found as
-- quickly as a common one. BETWEEN, not =, so that only the index by kind has the rows in the order that is wanted; with
-- = the planner would rather walk the whole log for a kind that it takes for a common one.
SELECT found.id
  FROM unnest(%(events)s::text[]) kind(name)
  CROSS JOIN LATERAL (
    SELECT id FROM audit_log
     WHERE profile_id = %(profile_id)s AND event_type BETWEEN kind.name AND kind.name
       AND id >= %(first)s AND id < %(before)s
     ORDER BY event_type, id DESC LIMIT %(most)s
  ) found
 ORDER BY found.id DESC LIMIT %(most)s
