"""What the tables are called in the admin."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_search")]

    operations = [
        migrations.AlterModelOptions(
            name="apikey", options={"verbose_name": "API key", "verbose_name_plural": "API keys"}
        ),
        migrations.AlterModelOptions(name="auditlog", options={"verbose_name_plural": "audit log"}),
        migrations.AlterModelOptions(name="episodesummary", options={"verbose_name_plural": "episode summaries"}),
        migrations.AlterModelOptions(name="factentity", options={"verbose_name_plural": "fact entities"}),
        migrations.AlterModelOptions(name="installation", options={"verbose_name_plural": "installation"}),
        migrations.AlterModelOptions(name="messagehash", options={"verbose_name_plural": "message hashes"}),
    ]
