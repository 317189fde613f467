"""No two accounts look alike."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two columns that are unique."""

    dependencies = [("studio", "0011_names_and_sign_ins")]
    operations = [
        migrations.AlterField("account", "looks_small", models.CharField(max_length=64, unique=True, editable=False)),
        migrations.AlterField("account", "looks_capital", models.CharField(max_length=64, unique=True, editable=False)),
    ]
