"""Pictures of guidelines, and the version that somebody has read."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """A table and a column."""

    dependencies = [("studio", "0030_look_back")]
    operations = [
        migrations.CreateModel(
            name="GuidelinePicture",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80)),
                ("kind", models.CharField(help_text="Its media type.", max_length=20)),
                ("content", models.BinaryField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pictures", to="studio.project"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("project", "name"), name="picture_name_once")],
            },
        ),
        migrations.AddField(
            model_name="participant",
            name="guideline_read",
            field=models.PositiveIntegerField(blank=True, help_text="Newest version that they read.", null=True),
        ),
    ]
