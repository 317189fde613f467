"""What items are and should be, frozen."""

from importlib import import_module
from typing import Any

import django.db.models.deletion
from django.db import migrations, models

append_only = import_module("mores.studio.migrations.0002_append_only")


def guard(_apps: Any, editor: Any) -> None:
    """Refuse to change or delete what is sealed."""
    for change in ("UPDATE", "DELETE"):
        editor.execute(append_only.trigger("studio_sealed", change, editor.connection.vendor))


class Migration(migrations.Migration):
    dependencies = [
        ("studio", "0004_people_and_studies"),
    ]

    operations = [
        migrations.CreateModel(
            name="Sealed",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("facts", models.JSONField()),
                (
                    "item",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="sealed", to="studio.item"
                    ),
                ),
            ],
        ),
        migrations.RunPython(guard, elidable=False),
    ]
