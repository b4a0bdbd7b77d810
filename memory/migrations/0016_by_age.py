"""Rows by their age, for the sweep. Made beside running work: nobody waits."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0015_sweep")]

    operations = [
        AddIndexConcurrently("auditlog", models.Index(fields=["profile", "at"], name="audit_profile_age")),
        AddIndexConcurrently("offrecord", models.Index(fields=["profile", "at"], name="off_record_age")),
    ]
