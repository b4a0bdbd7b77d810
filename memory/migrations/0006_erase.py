"""What erasing a person needs: that it is under way, and the function that may take them out of the log."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql" / "0006_erase.sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_consent_anew")]

    operations = [
        migrations.AddField("profile", "erasing_at", models.DateTimeField(null=True, editable=False)),
        migrations.AddField("profile", "erasing", models.JSONField(default=dict, editable=False)),
        migrations.RunSQL(SQL.read_text(), migrations.RunSQL.noop),
    ]
