"""What was imported: the files, and the chats that they brought, which wait for their turn to be read."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import memory.models.fields

SECURITY = """
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['imports', 'imported_chats'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own ON %I TO caesar_app USING (profile_id = caesar_profile())', name);
    EXECUTE format('CREATE POLICY operator ON %I TO caesar_operator USING (true)', name);
  END LOOP;
END $$;
ALTER TABLE imported_chats ADD CONSTRAINT imported_chats_audit_fk
  FOREIGN KEY (audit_id) REFERENCES audit_log (id) ON DELETE CASCADE;
-- Who looks for work sees whose chats wait.
GRANT SELECT (audit_id, profile_id, waiting) ON imported_chats TO caesar_claim;
CREATE POLICY claim ON imported_chats FOR SELECT TO caesar_claim USING (true);
"""


def profile():
    return models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.profile")


def now():
    return models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)


class Migration(migrations.Migration):
    dependencies = [("memory", "0016_by_age")]

    operations = [
        migrations.CreateModel(
            name="Import",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory.models.fields.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("format", models.TextField()),
                ("name", models.TextField(blank=True, default="")),
                ("digest", models.TextField()),
                ("state", models.TextField(default="running")),
                ("counts", models.JSONField(default=dict)),
                ("total", models.IntegerField(default=0)),
                ("done", models.IntegerField(default=0)),
                ("error", models.TextField(blank=True, default="")),
                ("started_at", now()),
                ("updated_at", now()),
                ("profile", profile()),
            ],
            options={
                "db_table": "imports",
                "constraints": [
                    models.UniqueConstraint(fields=("profile", "digest"), name="import_file_once"),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["running", "done", "failed"])), name="import_state"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ImportedChat",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("audit_id", models.BigIntegerField(unique=True)),
                ("waiting", models.BooleanField(default=False)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.conversation"
                    ),
                ),
                ("profile", profile()),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.import"
                    ),
                ),
            ],
            options={
                "db_table": "imported_chats",
                "indexes": [
                    models.Index(
                        condition=models.Q(("waiting", True)), fields=["profile", "id"], name="imported_chat_next"
                    ),
                    models.Index(fields=["source"], name="imported_chat_source"),
                ],
            },
        ),
        migrations.RunSQL(SECURITY, migrations.RunSQL.noop),
    ]
