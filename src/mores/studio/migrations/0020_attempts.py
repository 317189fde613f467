"""Which proposals of models were taken into a question, and what writers say at the end of how it went."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """A column of jobs, and a table."""

    dependencies = [
        ("studio", "0013_redaction"),
    ]

    operations = [
        migrations.AddField(
            model_name="job",
            name="taken",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Each time its proposal was taken: the newest job of the page then.",
            ),
        ),
        migrations.CreateModel(
            name="SurveyAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("answers", models.JSONField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "participant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="survey_answers",
                        to="studio.participant",
                    ),
                ),
            ],
        ),
    ]
