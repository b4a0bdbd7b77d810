"""From where on chats may be read, where consent was withdrawn and given anew."""

from django.db import migrations, models


def place() -> models.BigIntegerField:
    return models.BigIntegerField(default=0, editable=False)


class Migration(migrations.Migration):
    dependencies = [("memory", "0004_entities_and_keys")]

    operations = [
        migrations.AddField(table, name, place())
        for table in ("profile", "space")
        for name in ("memory_from_id", "summaries_from_id")
    ]
