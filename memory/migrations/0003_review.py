"""What reviewing and purging facts needs: columns, indexes and the functions that may touch the log."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql" / "0003_review.sql"


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0002_security"),
    ]

    operations = [
        migrations.AddField(
            model_name="fact",
            name="was_state",
            field=models.TextField(blank=True, db_default="", default="", editable=False),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("state", "deleted"), models.Q(("value", ""), _negated=True)),
                fields=["deleted_at"],
                name="fact_to_purge",
            ),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False), ("state", "current")),
                fields=["expires_at"],
                name="fact_to_expire",
            ),
        ),
        migrations.AddIndex(
            model_name="factsource",
            index=models.Index(fields=["audit"], name="fact_source_gone"),
        ),
        migrations.RunSQL(SQL.read_text(), migrations.RunSQL.noop),
    ]
