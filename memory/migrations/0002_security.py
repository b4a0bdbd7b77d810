"""Roles, row-level security and the append-only log: `memory/sql/0002_security.sql`."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).resolve().parent.parent / "sql" / "0002_security.sql"


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("sessions", "0001_initial"),
    ]

    operations = [migrations.RunSQL(SQL.read_text(), migrations.RunSQL.noop)]
