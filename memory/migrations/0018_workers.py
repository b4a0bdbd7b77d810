"""Workers tell of themselves, and may run under a login of their own."""

import django.contrib.postgres.fields
import django.db.models.functions.datetime
from django.db import migrations, models

from memory import sql

BACK = """
DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_policies WHERE policyname = 'web' AND tablename <> 'login_tokens' LOOP
    EXECUTE format('DROP POLICY web ON %I', name);
    EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', name);
  END LOOP;
END $$;
DROP FUNCTION caesar_web_only(text);
REVOKE SELECT ON django_migrations FROM caesar_claim"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0017_imports")]
    operations = [
        migrations.CreateModel(
            name="Worker",
            fields=[
                ("name", models.TextField(primary_key=True, serialize=False)),
                (
                    "queues",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                ("threads", models.IntegerField(default=0)),
                ("version", models.TextField(default="")),
                ("problem", models.TextField(blank=True, default="")),
                ("started_at", models.DateTimeField()),
                (
                    "seen_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
            ],
            options={"db_table": "workers"},
        ),
        migrations.RunSQL(sql.read("0018_workers"), BACK),
    ]
