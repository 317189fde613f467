"""What the verbs of the studio do; Django is imported here and nowhere else on the command line.

Models can be imported only once Django is set up: each verb opens the studio first.
"""

import sys
from pathlib import Path

from mores.cli import screen
from mores.cli.args_studio import BackupArgs, ImportArgs, ProjectExportArgs, ServingArgs
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.runs.addresses import addresses_of

for _library in ("django", "axes", "argon2", "gunicorn", "psycopg", "whitenoise"):
    needed(_library)

from mores.studio.config import StudioConfig  # noqa: E402 - after what it needs is known to be there
from mores.studio.setup import open_studio  # noqa: E402


def serve_studio(typed: ServingArgs) -> None:
    """Serve a studio until it is stopped."""
    url = typed.url
    if url and not url.startswith(("http://", "https://")):
        raise InputError(f"--url {url}: expected http:// or https:// and a host.")
    given = addresses_of(typed.base_url or ())
    plain, of_role = given["base_url"], given["role_urls"]
    urls = of_role if isinstance(of_role, dict) else {}
    config = StudioConfig(
        folder=typed.folder, database=typed.database, port=typed.port, url=url, max_cost=typed.max_cost,
        models={"helper": typed.helper, "verifier": typed.verifier},
        addresses={role: urls.get(role, plain) for role in ("helper", "verifier")},
    )  # fmt: skip
    open_studio(config)
    from mores.studio.help.worker import check_models  # noqa: PLC0415
    from mores.studio.serve import serve  # noqa: PLC0415

    check_models(config)

    serve(config, _say)


def _say(words: str) -> None:
    """A line at once and unbroken, so that a link in it can be followed."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def import_into(typed: ImportArgs) -> None:
    """Take the items of a file into a project and say how many were new."""
    _open(typed.folder, typed.database)
    from mores.studio.import_export import import_into as taken  # noqa: PLC0415

    added = taken(typed.project, typed.file, key=typed.key, sample=typed.sample)
    screen.line(f"{added.new:,} new items in {typed.project}; {added.known:,} were there already.")


def export_from(typed: ProjectExportArgs) -> None:
    """Write the files of one export into a new folder."""
    _open(typed.folder, typed.database)
    from mores.studio.import_export import export_to  # noqa: PLC0415

    screen.line(f"{typed.out}: {export_to(typed.project, typed.kind, typed.out)} files of {typed.project}.")


def back_up(typed: BackupArgs) -> None:
    """Copy the database of a studio in a folder."""
    _open(typed.folder, "")
    from mores.studio.backup import backup  # noqa: PLC0415

    backup(typed.out)
    screen.line(f"{typed.out}: a copy of the studio in {typed.folder}.")


def _open(folder: Path, database: str) -> None:
    """A studio that is there already; a verb that only reads makes none."""
    if not folder.is_dir():
        raise InputError(f"--folder {folder}: no studio there; mores studio serve --folder {folder} makes one.")
    open_studio(StudioConfig(folder=folder, database=database))
