"""`mores export`: finished runs written for other programs."""

import sys

from mores.api.exports import export
from mores.cli.args_reports import ExportArgs
from mores.core.terminal_safety import print_error
from mores.runs.loading import describe_changes, read_results


def export_runs(typed: ExportArgs) -> None:
    """Write runs in a format, name the files, and say what the format has no place for.

    Raises:
        InputError: a folder is no finished run, there is no such format, or a file is in the way.
    """
    results = read_results(typed.runs)
    for line in describe_changes(results):
        print_error(f"{line}. Figures and answers may differ from those of the run.")
    written = export(results, typed.to, typed.out)
    sys.stdout.writelines(f"{typed.out / name}\n" for name in written.files)
    for what in written.left_out:
        print_error(f"left out: {what}.")
