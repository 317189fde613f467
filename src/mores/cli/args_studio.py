"""What can be typed after the verbs of the studio."""

# ruff: noqa: RUF009 - `option` makes a field
from dataclasses import MISSING, dataclass
from pathlib import Path

from mores.runs.options import argument, option

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
    helper: str = option("Model that gives writers ideas, drafts and revisions.", default=SIMULATED)
    verifier: str = option("Model that answers their questions.", default=SIMULATED)
    base_url: list[str] | None = option("Address of the models, or ROLE=URL for one of them; repeatable.")
    max_cost: float | None = option("Dollars that this help may cost until the studio stops.")


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
class BackupArgs:
    """Copy the studio's database while it runs."""

    out: Path = option("New file of the copy.", default=MISSING)
    folder: Path = FOLDER
