"""Prolific's own table of submissions, as an owner downloads and uploads it."""

from pathlib import Path

from mores.benchmarks.tabular import read_table
from mores.core.errors import InputError
from mores.studio.models import Participant, Project
from mores.studio.recruiting.submissions import COLUMNS, Told, spelled, take
from mores.studio.work.transactions import writing


def take_table(project: Project, path: Path) -> int:
    """How many rows told something new of somebody here; all rows are carried out, or none.

    A row is known again by its submission and status, so that the same table can be uploaded twice.

    Raises:
        InputError: a column is missing, a status is unknown, or a submission is somebody else's.
    """
    rows = [_told(row.where, row.cells) for row in read_table(path, COLUMNS)]
    people = Participant.objects.filter(project=project, study__isnull=False).select_related("study")
    known = {person.session_ext_id: person for person in people}
    changed = 0
    with writing():
        for where, who, told in rows:
            person = known.get(told.submission)
            if person is None or person.study is None:
                continue
            if person.ext_id != who:
                raise InputError(f"{where}: submission {told.submission} is of {person.ext_id}; got {who}.")
            changed += take(person.study, told)
    return changed


def _told(where: str, cells: dict[str, str]) -> tuple[str, str, Told]:
    submission, who, status = (cells[column].strip() for column in COLUMNS)
    try:
        found = spelled(status)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return where, who, Told(event=f"table {submission[:60]} {found}", submission=submission[:100], status=found)
