"""`mores agreement weights RUN`: weights of the judges of a jury."""

from mores.annotation.sample import read_sample
from mores.annotation.tables import read_tables
from mores.benchmarks.label_columns import Columns
from mores.blocks.formatting import SIMULATED
from mores.calibration.jury_weights import jury_weights_of
from mores.calibration.jury_weights_analysis import analyse
from mores.cli import screen
from mores.cli.typed_labels import TypedWeights
from mores.core.visible import tell
from mores.tables import as_data, blocks_in


def weigh(typed: TypedWeights) -> None:
    """Print what each judge of a jury should count, and the command that uses it.

    Raises:
        InputError: a run or a file cannot be used, or there is no jury to weigh.
    """
    sample = None if typed.sample is None else read_sample(typed.sample)
    tables = read_tables(
        typed.runs, typed.labels, sample, tasks=typed.tasks, columns=Columns.read(typed.columns),
        noting=tell,
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
