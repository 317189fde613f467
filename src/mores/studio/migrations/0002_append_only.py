"""Triggers that refuse to change or delete what is only ever added to."""

from typing import Any

from django.db import migrations

TABLES = ("itemversion", "response", "decision", "event", "payment", "guideline", "sealed")


def guard(_apps: Any, editor: Any) -> None:
    """Add the triggers, in the words of each database."""
    if editor.connection.vendor == "postgresql":
        editor.execute(
            "CREATE FUNCTION studio_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME; END $$"
        )
    for table in TABLES:
        for change in ("UPDATE", "DELETE"):
            editor.execute(_trigger(f"studio_{table}", change, editor.connection.vendor))


def _trigger(table: str, change: str, vendor: str) -> str:
    """One trigger, in the words of a database."""
    begin = f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table}"
    if vendor == "postgresql":
        return f"{begin} FOR EACH ROW EXECUTE FUNCTION studio_append_only()"
    return f"{begin} BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"


class Migration(migrations.Migration):
    """Append-only tables."""

    dependencies = [("studio", "0001_tables")]
    operations = [migrations.RunPython(guard, elidable=False)]
