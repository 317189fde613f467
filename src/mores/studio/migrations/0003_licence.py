"""A project's licence has a column of its own; until now it stood in its settings."""

from typing import Any

from django.db import migrations, models


def move(apps: Any, _editor: Any) -> None:
    """Take the licence out of the settings that have one."""
    for project in apps.get_model("studio", "Project").objects.filter(settings__has_key="licence"):
        project.licence = str(project.settings.pop("licence") or "")[:200]
        project.save(update_fields=["licence", "settings"])


class Migration(migrations.Migration):
    """A column, and what was set before."""

    dependencies = [("studio", "0002_append_only")]
    operations = [
        migrations.AddField(
            model_name="project",
            name="licence",
            field=models.CharField(
                blank=True, default="", help_text="Of its exports, such as CC-BY-4.0.", max_length=200
            ),
        ),
        migrations.RunPython(move, elidable=False),
    ]
