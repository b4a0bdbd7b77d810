"""Hashes of what was said off the record, so that it is known when a client sends it again."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

SECURITY = """
ALTER TABLE off_record ENABLE ROW LEVEL SECURITY;
ALTER TABLE off_record FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON off_record TO caesar_app USING (profile_id = caesar_profile());
CREATE POLICY operator ON off_record TO caesar_operator USING (true);
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_removed_spaces")]

    operations = [
        migrations.CreateModel(
            name="OffRecord",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("digest", models.BinaryField()),
                (
                    "at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "profile",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.profile"
                    ),
                ),
            ],
            options={
                "db_table": "off_record",
                "verbose_name_plural": "off record",
                "constraints": [models.UniqueConstraint(fields=("profile", "digest"), name="off_record_once")],
            },
        ),
        migrations.RunSQL(SECURITY, migrations.RunSQL.noop),
    ]
