"""What removes sessions and links that have ended, also for a worker that may see neither."""

from django.db import migrations

MAKE = """
CREATE FUNCTION login_clear() RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE sessions integer; links integer;
BEGIN
  DELETE FROM django_session WHERE expire_date < now();
  GET DIAGNOSTICS sessions = ROW_COUNT;
  DELETE FROM login_tokens WHERE expires_at < now() - interval '1 day';
  GET DIAGNOSTICS links = ROW_COUNT;
  RETURN sessions + links;
END $$;
REVOKE ALL ON FUNCTION login_clear() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION login_clear() TO caesar_operator;
"""


class Migration(migrations.Migration):
    dependencies = [("login", "0002_web_only"), ("sessions", "0001_initial")]
    operations = [migrations.RunSQL(MAKE, "DROP FUNCTION login_clear()")]
