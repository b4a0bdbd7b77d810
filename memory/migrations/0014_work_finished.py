"""The days of background work are added up without a look at what came before them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0013_deleted_episodes")]
    operations = [
        migrations.AddIndex(
            model_name="workitem",
            index=models.Index(
                fields=["profile", "finished_at"],
                name="work_finished",
                condition=models.Q(("finished_at__isnull", False)),
            ),
        )
    ]
