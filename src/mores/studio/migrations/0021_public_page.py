"""A project's public page, and the name by which it thanks somebody."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two columns."""

    dependencies = [
        ("studio", "0020_attempts"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="public",
            field=models.BooleanField(
                default=False, help_text="Whether everybody may read what became of the answers, in numbers."
            ),
        ),
        migrations.AddField(
            model_name="participant",
            name="credit",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Name by which the public page thanks them; empty: none.",
                max_length=80,
            ),
        ),
    ]
