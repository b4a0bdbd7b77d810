"""From where on chats may be read, where consent was withdrawn and given anew."""

from pathlib import Path

from django.db import migrations, models

BEFORE = sorted(p.stem for p in Path(__file__).parent.glob("0*.py") if p.stem < Path(__file__).stem)[-1]


def place() -> models.BigIntegerField:
    return models.BigIntegerField(default=0, editable=False)


class Migration(migrations.Migration):
    dependencies = [("memory", BEFORE)]

    operations = [
        migrations.AddField(table, name, place())
        for table in ("profile", "space")
        for name in ("memory_from_id", "summaries_from_id")
    ]
