"""The verbs of the studio: serve it, move items in and out, copy it while it runs."""

from pathlib import Path
from typing import Annotated

import typer

studio_app = typer.Typer(help="The studio, where people write, check and label.", rich_markup_mode=None)
Folder = Annotated[Path, typer.Option(help="Folder of the studio; made on the first start.")]
Database = Annotated[str, typer.Option(help="postgresql://USER@HOST/NAME; default: SQLite in the folder.")]
HOME = Path("studio")
SIMULATED = "simulated/typical"


@studio_app.command("serve")
def studio_serve(  # noqa: PLR0913, PLR0917
    folder: Folder = HOME,
    database: Database = "",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8765,
    url: Annotated[
        str, typer.Option(help="Address that people type, such as https://studio.example.org; default: this machine.")
    ] = "",
    helper: Annotated[str, typer.Option(help="Model that gives writers ideas, drafts and revisions.")] = SIMULATED,
    verifier: Annotated[str, typer.Option(help="Model that answers their questions.")] = SIMULATED,
    base_url: Annotated[
        list[str] | None, typer.Option(help="Address of the models, or ROLE=URL for one of them; repeatable.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="Dollars that this help may cost until the studio stops.")
    ] = None,
) -> None:
    """Serve the studio; the first start makes everything and prints the owner's one-time link."""
    from mores.cli.studio import Help, serve_studio  # noqa: PLC0415

    help_ = Help(helper=helper, verifier=verifier, base_url=base_url or [], max_cost=max_cost)
    serve_studio(folder, database, port=port, url=url, help_=help_)


@studio_app.command("import")
def studio_import(
    file: Annotated[Path, typer.Argument(help="CSV or JSON Lines for the flow, or a folder that mores wrote.")],
    project: Annotated[str, typer.Option(help="The project, by the last part of its address.")],
    folder: Folder = HOME,
    database: Database = "",
    key: Annotated[
        Path | None, typer.Option(help="What the items are and should be; default: the key in the folder, if any.")
    ] = None,
    sample: Annotated[
        int, typer.Option(help="Take in so many questions or scenarios, every place its share; 0: all.", min=0)
    ] = 0,
) -> None:
    """Take items into a project; all of the file, or nothing."""
    from mores.cli.studio import import_into  # noqa: PLC0415

    import_into(folder, database, project=project, file=file, key=key, sample=sample)


@studio_app.command("export")
def studio_export(
    project: Annotated[str, typer.Option(help="The project, by the last part of its address.")],
    out: Annotated[Path, typer.Option(help="New folder to write into.")],
    kind: Annotated[str, typer.Option(help="Which export of the flow; default: its first.")] = "",
    folder: Folder = HOME,
    database: Database = "",
) -> None:
    """Write a project's data, as they stand at one instant; the studio may go on running."""
    from mores.cli.studio import export_from  # noqa: PLC0415

    export_from(folder, database, project=project, kind=kind, out=out)


@studio_app.command("backup")
def studio_backup(
    out: Annotated[Path, typer.Option(help="New file of the copy.")],
    folder: Folder = HOME,
) -> None:
    """Copy the studio's database while it runs."""
    from mores.cli.studio import back_up  # noqa: PLC0415

    back_up(folder, out)


def register(app: typer.Typer) -> None:
    """Add these verbs to the command line."""
    app.add_typer(studio_app, name="studio")
