"""Items in and data out by the name of a project, for whoever is at the command line of the server."""

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from django.db import connection

from mores.core.codec import read_text
from mores.core.errors import InputError, StorageError, UnknownName
from mores.core.files import own_file, refuse_taken, write_new
from mores.studio.design import design_of, make_from
from mores.studio.flows.exporting import export_files
from mores.studio.flows.flow import flow_named
from mores.studio.flows.importing import import_file
from mores.studio.flows.other_tools import exports_of
from mores.studio.models import Account, Project
from mores.studio.work.items import ImportCounts


def import_into(slug: str, file: Path, *, key: Path | None = None, sample: int = 0) -> ImportCounts:
    """Take the items of a file or a folder of mores into a project; all of them, or none.

    `key` says what the items are and should be; `sample` takes so many groups of them, stratified by place.

    Raises:
        InputError: there is no such project, or a row cannot be read.
    """
    return import_file(_project(slug), file, key=key, sample=sample)


def export_to(slug: str, kind: str, out: Path) -> int:
    """Number of files of an export that were written into a new folder; `kind` empty for the flow's first.

    Raises:
        InputError: there is no such project or export, or the folder is there.
        StorageError: the folder cannot be written; none is left then.
    """
    refuse_taken(out)
    project = _project(slug)
    exports = exports_of(flow_named(project.flow))
    name = kind or next(iter(exports))
    if name not in exports:
        raise UnknownName("export", name, exports, where=f"--kind of {project.flow}")
    files = export_files(project, name)
    try:
        for file, content in files.items():
            write_new(out / file, content)
    except StorageError:
        shutil.rmtree(out, ignore_errors=True)  # half an export is worse than none
        raise
    return len(files)


def export_design(slug: str, out: Path) -> None:
    """Write a project's design into a new file.

    Raises:
        InputError: there is no such project, or the file is there.
        StorageError: the file cannot be written.
    """
    refuse_taken(out)
    write_new(out, design_of(_project(slug)))


def import_design(file: Path) -> str:
    """Address of a new project of a design, which the studio's owners own.

    Raises:
        InputError: it is no design, or the studio has no owner yet.
    """
    owners = list(Account.objects.filter(is_owner=True, is_active=True).order_by("pk"))
    if not owners:
        raise InputError("design import: the studio has no owner yet; open the link that mores studio serve prints.")
    return make_from(read_text(file), where=str(file), owners=owners).slug


def _project(slug: str) -> Project:
    found = Project.objects.filter(slug=slug).first()
    if found is None:
        raise UnknownName("project", slug, Project.objects.values_list("slug", flat=True), where="--project")
    return found


def backup(out: Path) -> None:
    """Copy the SQLite database to a new file: all of it as it stands at one instant, or no file at all.

    Raises:
        InputError: the file is there already, or the studio is on PostgreSQL, which has its own.
        StorageError: the copy cannot be written.
    """
    if connection.vendor != "sqlite":
        raise InputError("backup: this studio is on PostgreSQL; use pg_dump, which copies while it runs.")
    refuse_taken(out)
    own_file(out)
    connection.ensure_connection()
    try:
        with closing(sqlite3.connect(out)) as copy:
            connection.connection.backup(copy)
    except sqlite3.Error as error:
        with suppress(OSError):  # half a copy is worse than none
            out.unlink()
        raise StorageError(f"--out {out}: the copy cannot be written ({error}); make room or name another.") from error
