"""An answer can be redacted: its words, and nothing else of it, and only where the redaction is stored."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

KEPT = ("id", "assignment_id", "version", "idem_key", "active_ms", "at")
REDACTED = "EXISTS (SELECT 1 FROM studio_redaction WHERE assignment_id = OLD.assignment_id)"


def allow(_apps: Any, editor: Any) -> None:
    """Let the one change by, in the words of each database, and keep redactions as all else that is only added to."""
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP TRIGGER studio_response_no_update ON studio_response")
        editor.execute(
            "CREATE FUNCTION studio_response_redacted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "IF to_jsonb(NEW) - 'answer' = to_jsonb(OLD) - 'answer' AND NEW.answer = '{}'::jsonb AND "
            f"{REDACTED} THEN RETURN NEW; END IF; "
            "RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME; END $$"
        )
        editor.execute(
            "CREATE TRIGGER studio_response_no_update BEFORE UPDATE ON studio_response "
            "FOR EACH ROW EXECUTE FUNCTION studio_response_redacted()"
        )
    else:
        same = " AND ".join(f'NEW."{column}" IS OLD."{column}"' for column in KEPT)
        editor.execute("DROP TRIGGER studio_response_no_update")
        editor.execute(
            "CREATE TRIGGER studio_response_no_update BEFORE UPDATE ON studio_response "
            f"WHEN NOT ({same} AND NEW.answer = '{{}}' AND {REDACTED}) "
            "BEGIN SELECT RAISE(ABORT, 'studio_response is append-only'); END"
        )
    for change in ("UPDATE", "DELETE"):
        begin = f"CREATE TRIGGER studio_redaction_no_{change.lower()} BEFORE {change} ON studio_redaction"
        if editor.connection.vendor == "postgresql":
            editor.execute(f"{begin} FOR EACH ROW EXECUTE FUNCTION studio_append_only()")
        else:
            editor.execute(f"{begin} BEGIN SELECT RAISE(ABORT, 'studio_redaction is append-only'); END")


class Migration(migrations.Migration):
    """A table, and triggers."""

    dependencies = [("studio", "0012_names_that_look_alike_once")]
    operations = [
        migrations.CreateModel(
            name="AnswerRedaction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "assignment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="redaction", to="studio.assignment"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={"db_table": "studio_redaction"},
        ),
        migrations.RunPython(allow, elidable=False),
    ]
