"""Items are retired and imports taken back; people tell of problems with items."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STATES = [
    ("waiting", "waiting for a curator"),
    ("open", "open"),
    ("complete", "complete"),
    ("dropped", "dropped"),
    ("returned", "sent back to who wrote it"),
    ("retired", "retired"),
]


def _account(**words: Any) -> Any:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL, **words
    )


def _number() -> Any:
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    """Two tables, two columns; an id is taken by items in use alone."""

    dependencies = [("studio", "0021_public_page")]
    operations = [
        migrations.CreateModel(
            name="ItemImport",
            fields=[
                ("id", _number()),
                ("name", models.CharField(help_text="Of the file.", max_length=200)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("by", _account(blank=True, null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="imports", to="studio.project"
                    ),
                ),
            ],
            options={"db_table": "studio_import"},
        ),
        migrations.CreateModel(
            name="ItemProblem",
            fields=[
                ("id", _number()),
                ("words", models.TextField()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("handled_at", models.DateTimeField(blank=True, null=True)),
                ("by", _account()),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="problems", to="studio.workitem"
                    ),
                ),
            ],
            options={"db_table": "studio_problem"},
        ),
        migrations.RemoveConstraint(model_name="workitem", name="item_key_once"),
        migrations.AlterField(
            model_name="workitem",
            name="state",
            field=models.CharField(choices=STATES, default="open", max_length=10),
        ),
        migrations.AddField(
            model_name="workitem",
            name="retired_from",
            field=models.CharField(
                blank=True, choices=STATES, default="", help_text="State before it was retired.", max_length=10
            ),
        ),
        migrations.AddField(
            model_name="workitem",
            name="came_in",
            field=models.ForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="items",
                to="studio.itemimport",
            ),
        ),
        migrations.AddConstraint(
            model_name="workitem",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "retired"), _negated=True), fields=("project", "key"),
                name="item_key_once_in_use",
            ),
        ),
    ]  # fmt: skip
