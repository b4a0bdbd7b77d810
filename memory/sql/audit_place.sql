-- The id at which a person's log has come to a moment: every row from there on was written at it or later. A search by
-- halves, since ids grow with time and the log has no index by time. No row: one more than the last id.
WITH RECURSIVE span(low, high) AS (
  SELECT 0::bigint, coalesce(max(id), 0) + 1 FROM audit_log WHERE profile_id = %(profile_id)s
  UNION ALL
  SELECT CASE WHEN seen.at < %(at)s THEN half.id + 1 ELSE low END, CASE WHEN seen.at < %(at)s THEN high ELSE half.id END
    FROM span
    CROSS JOIN LATERAL (SELECT (low + high) / 2 AS id) half
    LEFT JOIN LATERAL (
      SELECT at FROM audit_log WHERE profile_id = %(profile_id)s AND id >= half.id ORDER BY id LIMIT 1
    ) seen ON true
   WHERE low < high
)
SELECT low FROM span WHERE low >= high
