"""Accounts have keys by which names that look alike are known, still empty."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two columns."""

    dependencies = [("studio", "0005_account_name_label")]
    operations = [
        migrations.AddField("account", "looks_small", models.CharField(max_length=64, null=True, editable=False)),
        migrations.AddField("account", "looks_capital", models.CharField(max_length=64, null=True, editable=False)),
    ]
