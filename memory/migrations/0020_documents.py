"""Documents that a person gave: what they are called and where their text stands in the log."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import memory.models.fields

SECURITY = """
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE documents FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON documents TO caesar_app USING (profile_id = caesar_profile());
CREATE POLICY operator ON documents TO caesar_operator USING (true);
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0019_embedding_in_turn")]

    operations = [
        migrations.CreateModel(
            name="Document",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory.models.fields.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.TextField()),
                ("format", models.TextField()),
                ("digest", models.BinaryField()),
                ("size", models.IntegerField()),
                ("pages", models.IntegerField(null=True)),
                ("parts", models.IntegerField()),
                ("characters", models.IntegerField()),
                (
                    "added_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "conversation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="document",
                        to="memory.conversation",
                    ),
                ),
                (
                    "profile",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.profile"
                    ),
                ),
            ],
            options={
                "db_table": "documents",
                "constraints": [
                    models.UniqueConstraint(fields=("profile", "digest"), name="document_once"),
                    models.CheckConstraint(
                        condition=models.Q(("format__in", ["text", "markdown", "pdf", "docx"])),
                        name="document_format",
                    ),
                ],
            },
        ),
        migrations.RunSQL(SECURITY, migrations.RunSQL.noop),
    ]
