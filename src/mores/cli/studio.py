"""What the verbs of the studio do; Django is imported here and nowhere else on the command line.

Models can be imported only once Django is set up: each verb opens the studio first.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from mores.cli import screen
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.runs.asked import addresses_of

for _library in ("django", "axes", "argon2", "gunicorn", "psycopg", "whitenoise"):
    needed(_library)

from mores.studio.config import StudioConfig  # noqa: E402 - after what it needs is known to be there
from mores.studio.setup import open_studio  # noqa: E402


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """Which models help writers."""

    helper: str
    verifier: str
    base_url: list[str]
    max_cost: float | None


def serve_studio(folder: Path, database: str, *, port: int, url: str, help_: Help) -> None:
    """Serve a studio until it is stopped."""
    if url and not url.startswith(("http://", "https://")):
        raise InputError(f"--url {url}: expected http:// or https:// and a host.")
    given = addresses_of(help_.base_url)
    plain, of_role = given["base_url"], given["role_urls"]
    urls = of_role if isinstance(of_role, dict) else {}
    config = StudioConfig(
        folder=folder, database=database, port=port, url=url, max_cost=help_.max_cost,
        models={"helper": help_.helper, "verifier": help_.verifier},
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


def import_into(folder: Path, database: str, *, project: str, file: Path, key: Path | None, sample: int) -> None:
    """Take the items of a file into a project and say how many were new."""
    _open(folder, database)
    from mores.studio.moving import import_into as taken  # noqa: PLC0415

    added = taken(project, file, key=key, sample=sample)
    screen.line(f"{added.new:,} new items in {project}; {added.known:,} were there already.")


def export_from(folder: Path, database: str, *, project: str, kind: str, out: Path) -> None:
    """Write the files of one export into a new folder."""
    _open(folder, database)
    from mores.studio.moving import export_to  # noqa: PLC0415

    screen.line(f"{out}: {export_to(project, kind, out)} files of {project}.")


def back_up(folder: Path, out: Path) -> None:
    """Copy the database of a studio in a folder."""
    _open(folder, "")
    from mores.studio.backup import backup  # noqa: PLC0415

    backup(out)
    screen.line(f"{out}: a copy of the studio in {folder}.")


def _open(folder: Path, database: str) -> None:
    """A studio that is there already; a verb that only reads makes none."""
    if not folder.is_dir():
        raise InputError(f"--folder {folder}: no studio there; mores studio serve --folder {folder} makes one.")
    open_studio(StudioConfig(folder=folder, database=database))
