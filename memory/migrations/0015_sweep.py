"""The function that takes what is old out of the log."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql" / "0015_sweep.sql"


class Migration(migrations.Migration):
    dependencies = [("memory", "0014_work_finished")]

    operations = [
        migrations.RunSQL(
            SQL.read_text(),
            "DROP POLICY redactor_nobodys ON audit_log; DROP FUNCTION audit_sweep(bigint[], timestamptz)",
        )
    ]
