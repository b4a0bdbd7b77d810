"""Whoever watches a person's log hears that it has grown."""

from django.db import migrations

from memory import sql


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_names_that_read_well")]
    operations = [
        migrations.RunSQL(
            sql.read("0012_live"),
            "DROP TRIGGER tell ON audit_log; DROP FUNCTION audit_log_tell()",
        )
    ]
