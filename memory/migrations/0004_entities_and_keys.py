"""What facts hang on, as links that carry the names; and which spellings of keys are one."""

from pathlib import Path

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import memory.models.fields

SQL = Path(__file__).resolve().parent.parent / "sql" / "0004_entities_and_keys.sql"
KINDS = ["person", "pet", "organisation", "project", "place", "device", "vehicle"]


def of(name: str, related_name: str) -> models.ForeignKey:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.CASCADE, related_name=related_name, to=f"memory.{name}"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0003_review"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="entity", name="entity_once"),
        migrations.RemoveField(model_name="entity", name="aliases"),
        migrations.RemoveField(model_name="entity", name="name"),
        migrations.RemoveField(model_name="entity", name="name_key"),
        migrations.AddConstraint(
            model_name="entity",
            constraint=models.CheckConstraint(condition=models.Q(("kind__in", KINDS)), name="entity_kind"),
        ),
        migrations.CreateModel(
            name="FactEntity",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("by", models.TextField(blank=True, default="")),
                ("role", models.TextField(blank=True, default="")),
                ("name", models.TextField(blank=True, default="")),
                ("name_key", models.TextField(blank=True, default="")),
                ("first_key", models.TextField(blank=True, default="")),
                ("profile", of("profile", "+")),
                ("fact", of("fact", "links")),
                ("entity", of("entity", "links")),
            ],
            options={
                "db_table": "fact_entities",
                "indexes": [
                    models.Index(fields=["profile", "first_key"], name="fact_entity_first"),
                    models.Index(fields=["profile", "role"], name="fact_entity_role"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("fact", "entity", "name_key"), name="fact_entity_once"),
                    models.CheckConstraint(
                        condition=models.Q(("by__in", ["", "value", "key", "alias", "role", "head"])),
                        name="fact_entity_by",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="KeyAlias",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory.models.fields.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("alias", models.TextField()),
                ("key", models.TextField()),
                ("state", models.TextField(default="active")),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("profile", of("profile", "+")),
            ],
            options={
                "db_table": "key_aliases",
                "verbose_name_plural": "key aliases",
                "constraints": [
                    models.UniqueConstraint(fields=("profile", "alias", "key"), name="key_alias_pair_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "active")),
                        fields=("profile", "alias"),
                        name="key_alias_one_meaning",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["active", "removed", "dismissed"])), name="key_alias_state"
                    ),
                ],
            },
        ),
        migrations.RunSQL(SQL.read_text(), migrations.RunSQL.noop),
    ]
