"""`mores judge correct`: judges' means beside what they would be if people had judged."""

from mores.annotation.label_tables import read_tables
from mores.annotation.sample import read_sample
from mores.benchmarks.label_columns import LabelColumns
from mores.calibration.correct_tasks import correct_tables
from mores.calibration.corrections import CorrectionOptions
from mores.calibration.corrections_analysis import ESTIMATED, analyse
from mores.cli import screen
from mores.cli.args_labels import CorrectionArgs
from mores.core.errors import InputError
from mores.core.terminal_safety import print_error
from mores.runs.loading import read_results
from mores.tables import as_data, blocks_in


def correct(typed: CorrectionArgs) -> None:
    """Print judges' means corrected with people's labels.

    Raises:
        InputError: a run, a file or a number cannot be used.
    """
    if not 0.5 <= typed.confidence < 1:
        raise InputError(f"--confidence {typed.confidence}: expected a share from 0.5 to below 1, such as .95.")
    sample = None if typed.sample is None else read_sample(typed.sample)
    tables = read_tables(
        typed.runs,
        typed.labels,
        sample,
        tasks=typed.tasks,
        columns=LabelColumns.read(typed.columns),
        noting=print_error,
    )
    options = CorrectionOptions(
        method=typed.method, confidence=typed.confidence, by_place=typed.by is not None, seed=typed.seed
    )
    found = correct_tables(tables, read_results(typed.runs).evaluations, options)
    if not found.tasks:
        named = ", ".join(typed.tasks) or "anything that was judged"
        raise InputError(f"No label is about {named}; expected labels of it: mores judge sample RUN draws some.")
    result = analyse(found)
    if typed.json:
        told = {"simulated": found.simulated, "confidence": found.confidence, "estimated": ESTIMATED}
        screen.print_json({**told, **as_data(result)})
        return
    if found.simulated:
        screen.line("Simulated: answers, judges or people are simulated; this says nothing about real ones.")
    screen.blocks(blocks_in(result))
