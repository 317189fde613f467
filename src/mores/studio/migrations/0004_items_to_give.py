"""The next item is found in an index, however many there are: of those that nobody has begun, and of training."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Two indexes."""

    dependencies = [
        ("studio", "0003_licence"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="workitem",
            index=models.Index(
                condition=models.Q(("claims", 0), ("kind", "work"), ("state", "open")),
                fields=["project", "shuffle", "region"],
                name="item_untouched",
            ),
        ),
        migrations.AddIndex(
            model_name="workitem",
            index=models.Index(
                condition=models.Q(("kind__in", ["training", "attention"]), ("state", "open")),
                fields=["project"],
                name="item_taught",
            ),
        ),
    ]
