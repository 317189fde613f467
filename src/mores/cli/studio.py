"""Verbs of the studio; Django is imported here and nowhere else on the command line.

Models can be imported only once Django is set up: each verb opens the studio first.
"""

# ruff: noqa: RUF009 - `option` makes a field
import sys
from dataclasses import MISSING, dataclass
from pathlib import Path

from mores.cli import screen
from mores.core.errors import InputError
from mores.core.extras import STUDIO, needed
from mores.runs.client_pool import addresses_of
from mores.runs.options import argument, option

for _library in STUDIO:
    needed(_library)

from mores.studio.config import StudioConfig  # noqa: E402 - after what it needs is known to be there
from mores.studio.setup import open_studio  # noqa: E402

SIMULATED = "simulated/typical"


FOLDER = option("Folder of the studio; made on the first start.", default=Path("studio"))


DATABASE = option("postgresql://USER@HOST/NAME; default: SQLite in the folder.", default="")


PROJECT = option("The project, by the last part of its address.", default=MISSING)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingArgs:
    """Serve the studio; the first start makes everything and prints the owner's one-time link."""

    folder: Path = FOLDER
    database: str = DATABASE
    port: int = option("Port to listen on.", default=8765, min=1, max=65535)
    url: str = option(
        "Address that people type, such as https://studio.example.org; default: this machine.", default=""
    )
    proxy: list[str] | None = option("Address or network of a trusted proxy; repeatable.")
    helper: str = option("Model that gives writers ideas, drafts and revisions.", default=SIMULATED)
    verifier: str = option("Model that answers their questions.", default=SIMULATED)
    base_url: list[str] | None = option("Address of the models, or ROLE=URL for one of them; repeatable.")
    max_cost: float | None = option("Dollars that this help may cost until the studio stops.")
    private_hooks: bool = option("Let webhooks lead into the server's own network.", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportArgs:
    """Take items into a project; all of the file, or nothing."""

    file: Path = argument("CSV or JSON Lines for the flow, or a folder that mores wrote.", MISSING)
    project: str = PROJECT
    folder: Path = FOLDER
    database: str = DATABASE
    key: Path | None = option("What the items are and should be; default: the key in the folder, if any.")
    sample: int = option("Take in so many questions or scenarios, every place its share; 0: all.", default=0, min=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectExportArgs:
    """Write a project's data, as they stand at one instant; the studio may go on running."""

    project: str = PROJECT
    out: Path = option("New folder to write into.", default=MISSING)
    kind: str = option("Which export of the flow; default: its first.", default="")
    folder: Path = FOLDER
    database: str = DATABASE


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignExportArgs:
    """Write a project's design, to go with a paper: no people, no answers, no secrets."""

    project: str = PROJECT
    out: Path = option("New file of the design.", default=MISSING)
    folder: Path = FOLDER
    database: str = DATABASE


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignImportArgs:
    """Make a project like that of a design; the studio's owners own it."""

    file: Path = argument("Design that the studio wrote.", MISSING)
    folder: Path = FOLDER
    database: str = DATABASE


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupArgs:
    """Copy the studio's database while it runs."""

    out: Path = option("New file of the copy.", default=MISSING)
    folder: Path = FOLDER


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
        private_hooks=typed.private_hooks,
        proxies=tuple(typed.proxy or ()),
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


def export_design(typed: DesignExportArgs) -> None:
    """Write the design of a project into a new file."""
    _open(typed.folder, typed.database)
    from mores.studio.import_export import export_design as written  # noqa: PLC0415

    written(typed.project, typed.out)
    screen.line(f"{typed.out}: the design of {typed.project}.")


def import_design(typed: DesignImportArgs) -> None:
    """Make a project of a design and say where it is."""
    _open(typed.folder, typed.database)
    from mores.studio.import_export import import_design as made  # noqa: PLC0415

    screen.line(f"{made(typed.file)}: a new project of the design {typed.file}.")


def back_up(typed: BackupArgs) -> None:
    """Copy the database of a studio in a folder."""
    _open(typed.folder, "")
    from mores.studio.import_export import backup  # noqa: PLC0415

    backup(typed.out)
    screen.line(f"{typed.out}: a copy of the studio in {typed.folder}.")


def _open(folder: Path, database: str) -> None:
    """A studio that is there already; a verb that only reads makes none."""
    if not folder.is_dir():
        raise InputError(f"--folder {folder}: no studio there; mores studio serve --folder {folder} makes one.")
    open_studio(StudioConfig(folder=folder, database=database))
