"""Texts to be embedded are taken in turn over profiles. Made beside running work: nobody waits."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0018_workers")]
    operations = [
        AddIndexConcurrently(
            "embedqueue", models.Index(fields=["profile", "priority", "not_before"], name="embed_queue_turn")
        )
    ]
