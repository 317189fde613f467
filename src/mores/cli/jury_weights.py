"""`mores judge weights RUN`: what each judge of a jury should count."""

from mores.annotation.label_tables import read_tables
from mores.annotation.sample import read_sample
from mores.benchmarks.label_columns import LabelColumns
from mores.calibration.jury_weights import analyse, jury_weights_of
from mores.cli import screen
from mores.cli.args_labels import WeightsArgs
from mores.core.terminal_safety import print_error
from mores.tables import as_data, blocks_in
from mores.tables.formatting import SIMULATED


def weigh(typed: WeightsArgs) -> None:
    """Print what each judge of a jury should count, and the command that uses it.

    Raises:
        InputError: a run or a file cannot be used, or there is no jury to weigh.
    """
    sample = None if typed.sample is None else read_sample(typed.sample)
    tables = read_tables(
        typed.runs, typed.labels, sample, tasks=typed.tasks, columns=LabelColumns.read(typed.columns),
        noting=print_error,
    )  # fmt: skip
    found = jury_weights_of(tables, seed=typed.seed)
    result = analyse(found)
    if typed.json:
        told = {name: getattr(found, name) for name in ("tasks", "points", "simulated")}
        screen.print_json({**told, **as_data(result)})
        return
    if found.simulated:
        screen.line(SIMULATED)
    screen.blocks(blocks_in(result))
