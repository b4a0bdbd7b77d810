"""The function that takes the text of deleted summaries out of the log."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql" / "0013_deleted_episodes.sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_live")]

    operations = [migrations.RunSQL(SQL.read_text(), "DROP FUNCTION audit_forget_summaries(uuid)")]
