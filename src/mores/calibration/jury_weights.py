"""Weights of the judges of a jury, by people's labels, and their analysis: a row a judge.

tables of tasks ─▶ how often each judge is right, or how far it is off, with an interval ─▶ weights. Weights take
judges' errors as independent.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from mores.annotation.label_tables import TaskTable, refuse_mixed
from mores.calibration.agreement_tables import FIGURE, SIMULATED, figure_of
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.cluster_sums import Design, MeasuredFigure, share
from mores.stats.panel import mean_weight, vote_weight
from mores.tables import Analysis, AnalysisResult, FilledTable, Row, Show, Table, View, blocks_of, columns_of
from mores.tables.blocks import Block, Paragraph
from mores.tables.formatting import DASH

DIGITS = 4


class JurorWeight(Struct, frozen=True, kw_only=True):
    """One judge: how often its word was right of n, or its mean squared distance in points, and its weight."""

    role: str
    judge: str
    n: int
    figure: MeasuredFigure
    weight: float


class JuryWeights(Struct, frozen=True, kw_only=True):
    """All judges of a jury; weights are 1 on average. `points` are judged by distance, words by how often right."""

    tasks: tuple[str, ...]
    points: bool
    simulated: bool
    jurors: tuple[JurorWeight, ...]


def jury_weights_of(tables: Sequence[TaskTable], *, seed: int) -> JuryWeights:
    """The weights of the judges that judged some tasks, over all of them together.

    Args:
        tables: The tasks; those that no jury judged, such as what is worked out of others, are left out.
        seed: Of the intervals.

    Raises:
        InputError: fewer than two judges, other judges on other tasks, words beside points, nothing that is labelled,
            or no judge is better than a coin.
    """
    judged = [table for table in tables if len(table.judges) > 1]
    for table in judged:
        refuse_mixed(table)
    roles = {table.judges for table in judged}
    if len(roles) != 1:
        raise InputError(f"--judge: expected a jury of 2 or more, the same on all tasks; {_seen(roles)}.")
    kinds = {bool(table.options) for table in judged}
    if len(kinds) > 1:
        raise InputError(f"Some of {', '.join(t.task for t in judged)} are judged in words, some in points: --task.")
    words = kinds.pop()
    figures = _figures(judged, roles.pop(), Seed(f"mores-jury-{seed}"))
    raw = {role: (vote_weight if words else mean_weight)(of.value, n) for role, (of, n) in figures.items()}
    mean = sum(raw.values()) / len(raw)
    # votes of judges that are no better than a coin weigh nothing
    if not mean > 0:
        raise InputError("No judge is right more often than a coin; weights would say nothing of who is to be trusted.")
    return JuryWeights(
        tasks=tuple(table.name for table in judged),
        points=not words,
        simulated=any(table.simulated for table in judged),
        jurors=tuple(
            JurorWeight(
                role=role, judge=judged[0].specs.get(role, ""), n=n, figure=of, weight=round(raw[role] / mean, DIGITS)
            )
            for role, (of, n) in figures.items()
        ),
    )


def _seen(roles: set[tuple[str, ...]]) -> str:
    return "; ".join(", ".join(own) for own in sorted(roles)) or "one judge judged alone"


def _figures(tables: Sequence[TaskTable], roles: Sequence[str], seed: Seed) -> dict[str, tuple[MeasuredFigure, int]]:
    """Share of each judge's first words that are right by people's, or the distance of its points, and of how many."""
    counts = np.concatenate([_counts(table) for table in tables])
    clusters = np.concatenate([table.clusters for table in tables])
    found = {}
    for role in roles:
        off = np.concatenate([_distances(table.by(role) - table.truth, table) for table in tables])
        kept = np.isfinite(off)
        if not kept.any():
            raise InputError(f"{role}: nothing that it judged is labelled; label some of it: mores judge sample RUN.")
        own = counts[kept]
        # weights that are all alike would keep the exact interval of independent units from being used
        design = Design(clusters=clusters[kept], weights=own if np.ptp(own) > 0 else None, seed=seed)
        right = 1.0 - off[kept] if tables[0].options else off[kept]
        found[role] = share(right, design, f"right of {role}"), right.size
    return found


def _distances(difference: Floats, table: TaskTable) -> Floats:
    """Of words whether they differ, of points the squared distance; NaN where one is missing."""
    if table.options:
        return np.where(np.isnan(difference), np.nan, (difference != 0).astype(np.float64))
    return difference**2


def _counts(table: TaskTable) -> Floats:
    """Number of things that each row stands for."""
    return np.ones(len(table.rows)) if table.sampling_weights is None else table.sampling_weights


INDEPENDENT = "Weights take judges' errors as independent: judges that err alike still outvote one that does not."
RIGHT, OFF = "right", "mean squared distance"
WEIGHTS = Table(
    id="jury_weights",
    title="Weights of judges",
    columns=(
        *columns_of("names", tasks="tasks that they are over"),
        *SIMULATED,
        *columns_of("text", role="role of the judge", judge="specification of the judge"),
        *FIGURE,
        *columns_of("number", weight="what it should count; 1 on average"),
    ),
)


def analyse(found: JuryWeights) -> AnalysisResult:
    """The weights, what they rest on, and the command that uses them."""
    name = OFF if found.points else RIGHT
    task = {"tasks": found.tasks, "simulated": found.simulated}
    filled = FilledTable(
        table=WEIGHTS,
        rows=tuple(
            WEIGHTS.row(**task, role=each.role, judge=each.judge, weight=each.weight,
                        **figure_of(name, each.figure, each.n))
            for each in found.jurors
        ),
    )  # fmt: skip
    judges = " ".join(f"--judge {each.judge}" for each in found.jurors)
    weights = " ".join(f"--judge-weight {each.role}={each.weight:g}" for each in found.jurors)
    blocks: tuple[Block, ...] = (
        Paragraph(words=f"Judges compared with people's labels on {', '.join(found.tasks)}."),
        *blocks_of(filled, _view(filled, name)),
        Paragraph(words=INDEPENDENT),
        Paragraph(words=f"Use them: mores judge RUN {judges} {weights}"),
    )
    return AnalysisResult(tables=(filled,), blocks=blocks)


def _view(filled: FilledTable, name: str) -> View:
    figure = Show(key="value", title=f"{name}, 95% interval", write=_off if name == OFF else None, format="share")
    shown = (
        Show(key="role", title=" "),
        Show(key="weight", write=_weight),
        figure,
        "graded",
        "judge",
    )
    return View(title=WEIGHTS.title, rows=filled.rows, shown=shown)


def _weight(row: Row) -> str:
    return f"{row[WEIGHTS.at('weight')]:g}"


def _off(row: Row) -> str:
    """A squared distance, of which three decimals are worth telling."""
    figure = row[WEIGHTS.at("value")]
    ends = "" if figure.low is None or figure.high is None else f" [{figure.low:.3f}, {figure.high:.3f}]"
    return DASH if figure.value is None else f"{figure.value:.3f}{ends}"


WEIGHTS_ANALYSIS = Analysis(id="jury_weights", title="Weights of judges", tables=(WEIGHTS,), analyse=analyse)
