"""Log-in links are the web's alone, as accounts are."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("login", "0001_one_time_links"), ("memory", "0018_workers")]
    operations = [
        migrations.RunSQL(
            "SELECT caesar_web_only('login_tokens')",
            "DROP POLICY web ON login_tokens; ALTER TABLE login_tokens DISABLE ROW LEVEL SECURITY",
        )
    ]
