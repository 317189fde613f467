"""Rules about pace and practice, and the order in which options stood."""

from django.db import migrations, models


def _count(words: str) -> "models.PositiveIntegerField[int, int]":
    return models.PositiveIntegerField(default=0, help_text=words)


class Migration(migrations.Migration):
    """Columns."""

    dependencies = [("studio", "0031_guidelines")]
    # fmt: off
    operations = [
        migrations.AddField(
            "project",
            "training_right",
            _count("Training items that must be right; who has fewer is excluded. 0: none."),
        ),
        migrations.AddField("project", "quick_seconds", _count("An answer in fewer seconds is quick.")),
        migrations.AddField("project", "quick_run", _count("Quick answers in a row that are too many; 0: none.")),
        migrations.AddField(
            "project", "same_run", _count("Answers in a row at the same place that are too many; 0: none.")
        ),
        migrations.AddField(
            "project",
            "run_excludes",
            models.BooleanField(default=False, help_text="Too long a run excludes; else it is flagged."),
        ),
        migrations.AddField(
            "project",
            "shuffles",
            models.BooleanField(default=False, help_text="Options stand in another order for each person."),
        ),
        migrations.AddField(
            "response",
            "order",
            models.JSONField(blank=True, help_text="Options as they stood, by question.", null=True),
        ),
    ]
