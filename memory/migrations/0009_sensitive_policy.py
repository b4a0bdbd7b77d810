"""How each profile handles sensitive classes; empty: none of them is ever kept."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_off_record")]

    operations = [
        migrations.AddField(
            model_name="profile", name="sensitive_policy", field=models.JSONField(blank=True, default=dict)
        ),
    ]
