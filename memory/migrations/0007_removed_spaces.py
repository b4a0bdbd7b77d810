"""A space that was removed stays as a row; its slug is free again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_erase")]

    operations = [
        migrations.AddField("space", "removed_at", models.DateTimeField(null=True, editable=False)),
        migrations.RemoveConstraint(model_name="space", name="space_slug_once"),
        migrations.AddConstraint(
            model_name="space",
            constraint=models.UniqueConstraint(
                condition=models.Q(removed_at__isnull=True), fields=("profile", "slug"), name="space_slug_once"
            ),
        ),
    ]
