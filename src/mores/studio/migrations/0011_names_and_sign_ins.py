"""Each name has its keys, who withdrew has a name that nobody can choose, and sign-ins are forgotten."""

import hashlib
from typing import Any

from django.db import migrations

from mores.studio.models.lookalikes import lookalike_keys


def rename(apps: Any, _editor: Any) -> None:
    """Fill in the columns, in the order of accounts: of two that look alike the later one is known by its number."""
    taken: set[str] = set()
    for account in apps.get_model("studio", "Account").objects.order_by("pk"):
        if account.name == f"withdrawn-{account.pk}" and not account.is_active and account.password.startswith("!"):
            account.name = f"withdrawn:{account.pk}"
        looks = lookalike_keys(account.name)
        own = [_numbered(each, account.pk) if f"{place}{each}" in taken else each for place, each in enumerate(looks)]
        taken.update(f"{place}{each}" for place, each in enumerate(own))
        account.looks_small, account.looks_capital = own
        account.save(update_fields=["name", "looks_small", "looks_capital"])


def _numbered(looks: str, number: int) -> str:
    return hashlib.sha256(f"{looks} {number}".encode()).hexdigest()


def forget(apps: Any, _editor: Any) -> None:
    """Delete the log of sign-ins: names and addresses of who withdrew, and links that let people in."""
    for log in ("AccessLog", "AccessFailureLog", "AccessAttempt"):
        apps.get_model("axes", log).objects.all().delete()


class Migration(migrations.Migration):
    """Data alone."""

    dependencies = [("studio", "0010_names_that_look_alike"), ("axes", "0008_accessfailurelog")]
    operations = [
        migrations.RunPython(rename, migrations.RunPython.noop),
        migrations.RunPython(forget, migrations.RunPython.noop),
    ]
