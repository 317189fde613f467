"""`mores agreement weights RUN`: what each judge of a jury should count."""

from mores.annotation.sample import read_sample
from mores.annotation.tables import read_tables
from mores.benchmarks.label_columns import Columns
from mores.blocks.formatting import SIMULATED
from mores.calibration.jury_weights import JurorWeight, JuryWeights, jury_weights_of
from mores.calibration.values import to_dict
from mores.cli import screen
from mores.cli.typed_labels import TypedWeights
from mores.core.visible import tell

INDEPENDENT = "Weights take judges' errors as independent: judges that err alike still outvote one that does not."
SHARED = "By the other judges alone, an error that they share counts as right: people's labels (--labels) know it."


def weigh(typed: TypedWeights) -> None:
    """Print what each judge of a jury should count, and the command that uses it.

    Raises:
        InputError: a run or a file cannot be used, or there is no jury to weigh.
    """
    sample = None if typed.sample is None else read_sample(typed.sample)
    tables = read_tables(
        typed.runs, typed.labels or (), sample, tasks=typed.tasks, columns=Columns.read(typed.columns),
        noting=tell,
    )  # fmt: skip
    found = jury_weights_of(tables, by_people=bool(typed.labels), seed=typed.seed)
    if typed.json:
        screen.print_json(to_dict(found))
        return
    if found.simulated:
        screen.line(SIMULATED)
    truth = "people's labels" if found.by_people else "the word of the other judges"
    screen.line(f"Judges held against {truth} on {', '.join(found.tasks)}.")
    figure = "mean squared distance" if found.points else "right"
    rows = [(each.role, f"{each.weight:g}", _figure(each, found), each.n, each.judge) for each in found.jurors]
    screen.table(("", "weight", f"{figure}, 95% interval", "n", "judge"), rows)
    screen.line(INDEPENDENT)
    if not found.by_people:
        screen.line(SHARED)
    judges = " ".join(f"--judge {each.judge}" for each in found.jurors)
    weights = " ".join(f"--judge-weight {each.role}={each.weight:g}" for each in found.jurors)
    screen.line(f"Use them: mores judge RUN {judges} {weights}")


def _figure(each: JurorWeight, found: JuryWeights) -> str:
    by, digits = (1, 3) if found.points else (100, 1)
    low, high = each.figure.interval.low, each.figure.interval.high
    told = f"{by * each.figure.value:.{digits}f}{'' if found.points else '%'}"
    return told if low is None or high is None else f"{told} [{by * low:.{digits}f}, {by * high:.{digits}f}]"
