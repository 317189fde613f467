"""Weights of the judges of a jury, as an analysis: a row a judge."""

from mores.blocks import Block, Paragraph
from mores.blocks.formatting import DASH
from mores.calibration.agreement_tables import FIGURE, SIMULATED, figure_of
from mores.calibration.jury_weights import JuryWeights
from mores.tables import Analysis, AnalysisResult, FilledTable, Row, Show, Table, View, blocks_of, columns_of

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
