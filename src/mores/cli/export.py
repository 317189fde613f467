"""`mores export`: runs written for other programs, and put on the hub only when asked."""

# ruff: noqa: RUF009 - `option` makes a field
import sys
from dataclasses import MISSING, dataclass
from pathlib import Path

from mores.api.runs import export
from mores.cli.report import RUNS
from mores.core.errors import InputError
from mores.core.terminal_safety import print_error
from mores.exports import ExportedFiles
from mores.exports.hub.push import MODELS, push
from mores.runs.loading import describe_changes, read_results
from mores.runs.options import argument, option


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportArgs:
    """Write runs for other programs: tables, a table or figures for a paper, files for neighbours and the hub."""

    runs: list[Path] = argument(RUNS, MISSING)
    to: str = option("csv, parquet, latex, figures, every-eval-ever, inspect, lm-eval or hub.", default=MISSING)
    out: Path = option("Folder to write into; existing files are never overwritten.", default=MISSING)
    push: str | None = option("With hub: the dataset that it is for; nothing is uploaded yet.", metavar="ORG/NAME")
    commit: bool = option(
        "With --push: upload it; a dataset that is not there is made, private.", "--commit", default=False
    )
    create_pr: bool = option("With --push: upload it as a pull request.", "--create-pr", default=False)
    as_departed: bool = option(
        "With --push: headlines of runs that depart from the protocol too, with a note.", "--as-departed", default=False
    )


def export_runs(typed: ExportArgs) -> None:
    """Write runs in a format, name the files, and say what the format has no place for.

    Raises:
        InputError: a folder is no finished run, there is no such format, or a file is in the way.
        Unreachable: the hub does not answer.
    """
    chosen = _of_hub(typed)
    results = read_results(typed.runs)
    for line in describe_changes(results):
        print_error(f"{line}. Figures and answers may differ from those of the run.")
    written = export(results, typed.to, typed.out, **chosen)
    sys.stdout.writelines(f"{typed.out / name}\n" for name in written.files)
    for what in written.left_out:
        print_error(f"left out: {what}.")
    if typed.push:
        _push(typed, typed.push, written)


def _of_hub(typed: ExportArgs) -> dict[str, str | bool]:
    """Choices of the format, of which the hub's alone has any.

    Raises:
        InputError: something is chosen for another format, or an upload has nowhere to go.
    """
    switches = {"--commit": typed.commit, "--create-pr": typed.create_pr, "--as-departed": typed.as_departed}
    flag = next((flag for flag, value in {"--push": typed.push, **switches}.items() if value), None)
    if typed.to != "hub":
        if flag:
            raise InputError(f"{flag} and --to {typed.to}: expected --to hub.")
        return {}
    if flag and not typed.push:
        raise InputError(f"{flag}: expected the dataset that it is for, --push ORG/NAME.")
    if typed.commit and typed.create_pr:
        raise InputError("--commit and --create-pr: expected one of them.")
    return {"repo": typed.push or "", "as_departed": typed.as_departed}


def _push(typed: ExportArgs, repo: str, written: ExportedFiles) -> None:
    """Upload what was written, where that was asked for; else say what would be."""
    ours = [name for name in written.files if not name.startswith(MODELS)]
    if typed.commit or typed.create_pr:
        print_error(f"uploaded: {push(typed.out, ours, repo, create_pr=typed.create_pr)}")
    else:
        size = sum(len(written.files[name]) for name in ours)
        todo = f"--commit or --create-pr would send {len(ours)} files, {size:,} bytes, to {repo}"
        print_error(f"nothing was uploaded; {todo}.")
    for folder in sorted({name.partition("/.eval_results")[0] for name in written.files if name.startswith(MODELS)}):
        print_error(f"for the page of a model: hf upload ORG/MODEL {typed.out / folder} . --create-pr")
