"""Rows by their age, for the sweep. Made beside running work: nobody waits."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0015_sweep")]

    operations = [
        # It waits for all transactions that are open; what was broken off before is made anew.
        migrations.RunSQL("SET lock_timeout = 0", "SET lock_timeout = 0"),
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS audit_profile_age", migrations.RunSQL.noop),
        migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS off_record_age", migrations.RunSQL.noop),
        AddIndexConcurrently("auditlog", models.Index(fields=["profile", "at"], name="audit_profile_age")),
        AddIndexConcurrently("offrecord", models.Index(fields=["profile", "at"], name="off_record_age")),
        migrations.RunSQL("RESET lock_timeout", "RESET lock_timeout"),
    ]
