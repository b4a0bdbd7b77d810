"""Search: hashed terms, what waits for a vector, embedders, functions that read: `memory/sql/0010_search.sql`."""

from pathlib import Path

import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import memory.models.fields

SQL = Path(__file__).resolve().parent.parent / "sql" / "0010_search.sql"


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0009_sensitive_policy"),
    ]

    operations = [
        migrations.CreateModel(
            name="EmbeddingIdentity",
            fields=[
                ("name", models.TextField(primary_key=True, serialize=False)),
                ("provider", models.TextField()),
                ("model", models.TextField()),
                ("dim", models.IntegerField()),
                ("state", models.TextField()),
                ("done", models.BigIntegerField(default=0)),
                ("total", models.BigIntegerField(default=0)),
                ("place_kind", models.TextField(blank=True, default="")),
                ("place_id", models.UUIDField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("activated_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name_plural": "embedding identities",
                "db_table": "embedding_identities",
            },
        ),
        migrations.CreateModel(
            name="EmbedQueue",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("owner_kind", models.TextField()),
                ("owner_id", models.UUIDField()),
                ("priority", models.SmallIntegerField(default=0)),
                (
                    "queued_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "not_before",
                    models.DateTimeField(
                        null=True, db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("attempts", models.IntegerField(db_default=0, default=0)),
                ("error", models.TextField(blank=True, db_default="", default="")),
                ("token", models.UUIDField(null=True)),
            ],
            options={
                "verbose_name_plural": "embed queue",
                "db_table": "embed_queue",
            },
        ),
        migrations.AddField(
            model_name="episodesummary",
            name="terms",
            field=memory.models.fields.TermsField(
                base_field=models.BigIntegerField(), blank=True, db_default=[], default=list, editable=False, size=None
            ),
        ),
        migrations.AddField(
            model_name="fact",
            name="terms",
            field=memory.models.fields.TermsField(
                base_field=models.BigIntegerField(), blank=True, db_default=[], default=list, editable=False, size=None
            ),
        ),
        migrations.AddField(
            model_name="passage",
            name="length",
            field=models.IntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="passage",
            name="message",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="passage",
            name="part",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddConstraint(
            model_name="passage",
            constraint=models.UniqueConstraint(fields=("audit_id", "message", "part"), name="passage_once"),
        ),
        migrations.AddField(
            model_name="passage",
            name="speaker",
            field=models.TextField(db_default="", default=""),
        ),
        migrations.AddField(
            model_name="passage",
            name="terms",
            field=memory.models.fields.TermsField(
                base_field=models.BigIntegerField(), blank=True, db_default=[], default=list, editable=False, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="episodesummary",
            index=django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=["terms"], name="episode_terms"),
        ),
        migrations.AddIndex(
            model_name="fact",
            index=django.contrib.postgres.indexes.GinIndex(
                condition=models.Q(("state", "current")), fastupdate=False, fields=["terms"], name="fact_terms"
            ),
        ),
        migrations.AddIndex(
            model_name="passage",
            index=models.Index(fields=["conversation", "position"], name="passage_neighbours"),
        ),
        migrations.AddIndex(
            model_name="passage",
            index=models.Index(fields=["profile", "space", "speaker"], name="passage_speakers"),
        ),
        migrations.AddIndex(
            model_name="passage",
            index=django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=["terms"], name="passage_terms"),
        ),
        migrations.AddConstraint(
            model_name="embedding",
            constraint=models.CheckConstraint(
                condition=models.Q(("owner_kind__in", ["fact", "episode", "passage"])), name="embedding_owner_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="embeddingidentity",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["building", "active", "retired"])), name="embedding_identity_state"
            ),
        ),
        migrations.AddConstraint(
            model_name="embeddingidentity",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "active")), fields=("state",), name="embedding_identity_one_active"
            ),
        ),
        migrations.AddField(
            model_name="embedqueue",
            name="profile",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.profile"),
        ),
        migrations.AddIndex(
            model_name="embedqueue",
            index=models.Index(fields=["priority", "not_before", "id"], name="embed_queue_due"),
        ),
        migrations.AddConstraint(
            model_name="embedqueue",
            constraint=models.UniqueConstraint(fields=("owner_kind", "owner_id"), name="embed_queue_once"),
        ),
        migrations.AddConstraint(
            model_name="embedqueue",
            constraint=models.CheckConstraint(
                condition=models.Q(("owner_kind__in", ["fact", "episode", "passage"])), name="embed_queue_owner_kind"
            ),
        ),
        migrations.RunSQL(SQL.read_text(), migrations.RunSQL.noop),
    ]
