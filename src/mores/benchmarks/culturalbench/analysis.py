"""CulturalBench's setups: Easy against Hard, one right answer against several, and models beside people."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from mores.analysis.contrast import Contrast
from mores.analysis.model_summary import Models, models_of
from mores.analysis.results import Result, Results
from mores.benchmarks.culturalbench.easy_and_hard import EasyAndHard, ModeGaps, easy_and_hard, mode_gaps, people_gap
from mores.benchmarks.shapes.human_baseline import HUMAN
from mores.benchmarks.shapes.people_tables import beside_people, people_table
from mores.core.estimate import Estimate
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, CellValue, Finding, Paragraph, Span
from mores.tables.columns import SIMULATED, SUBJECT

# The tables, as programs know them.

MODELS = Column(key="models", title="Models", kind="count", says="over which the mean is")
BENCHMARK = Column(key="benchmark", title="Benchmark", kind="benchmark", says="the setup")
ALONE = (
    Column(key="easy_alone", title="Right on Easy alone", kind="share", says="questions that are right on Easy alone"),
    Column(key="hard_alone", title="Right on Hard alone", kind="share", says="questions that are right on Hard alone"),
)
EASY_AND_HARD = Table(
    id="culturalbench",
    title="Easy against Hard by question",
    columns=(
        Column(key="model", title="Model", kind="model", says="the subject, with its run where it has several"),
        SIMULATED,
        Column(
            key="gap",
            title="Hard − Easy, points",
            kind="contrast",
            main=True,
            ends=("hard", "easy"),
            says="accuracy on Hard less that on Easy, paired by question",
        ),
        *ALONE,
    ),
)
EASY_AND_HARD_MEAN = Table(
    id="culturalbench_mean",
    title="Easy against Hard, mean over models",
    columns=(
        MODELS,
        Column(key="easy", title="Easy", kind="share", says="mean accuracy on Easy"),
        Column(key="hard", title="Hard", kind="share", says="mean accuracy on Hard"),
        Column(
            key="gap", title="Hard − Easy, points", kind="estimate", main=True, says="for other models and questions"
        ),
        *ALONE,
    ),
)
ONE = Column(key="single", title="One right", kind="share", says="accuracy where one answer is right")
SEVERAL = Column(key="multi", title="Several right", kind="share", says="accuracy where several answers are right")
MODES = Table(
    id="culturalbench_modes",
    title="One right answer or several",
    columns=(
        SUBJECT,
        Column(
            key="gap",
            title="Gap, points",
            kind="contrast",
            main=True,
            ends=("single", "multi"),
            says="accuracy where one answer is right less that where several are, which are other questions",
        ),
    ),
)
MODES_MEAN = Table(
    id="culturalbench_modes_mean",
    title="One right answer or several, mean over models",
    columns=(
        BENCHMARK,
        MODELS,
        ONE,
        SEVERAL,
        Column(key="gap", title="Gap, points", kind="estimate", main=True, says="for other models and questions"),
    ),
)
MODES_PEOPLE = Table(
    id="culturalbench_modes_people",
    title="One right answer or several, of people",
    columns=(
        BENCHMARK,
        ONE,
        SEVERAL,
        Column(key="gap", title="Gap of people, points", kind="change", main=True, says="for other annotators"),
        Column(key="questions", title="Questions", kind="count", says="that people were asked"),
    ),
)
PEOPLE = people_table("culturalbench_people")

# The same for people.

SETUPS = (
    "Both setups ask the same questions, paired by their number. Hard less Easy is negative where a model knows the "
    "right option among four but does not judge each statement rightly; guessing alone gets 25% and 6%."
)
ABOUT_MODES = (
    "Questions with several right answers against those with one, which are other questions: a gap may also be theirs. "
    "The interval is for other questions of both kinds; p deals the kinds out anew over questions."
)
TESTED = (Show(key="p_holm", title="p (Holm{family})"), Show(key="units", title="Questions"))
MEAN = Show(key="gap", format="signed"), Show(key="graded", title="Questions"), Show(key="why")


def analyse(results: Results) -> AnalysisResult | None:
    """What the setups show; None where there is nothing to say of either."""
    setups, together = easy_and_hard(results), dict[str, Models]()
    for models in models_of(results):
        together.setdefault(models.benchmark, models)
    gaps = [gap for each in results.benchmarks if (gap := _gaps(results.on(each), together.get(each))) is not None]
    people = beside_people(PEOPLE, ((results.on(name), None) for name in results.benchmarks))
    if setups is None and not gaps and people is None:
        return None
    both = FilledTable(table=EASY_AND_HARD, rows=tuple(_both(setups)))
    mean = FilledTable(table=EASY_AND_HARD_MEAN, rows=tuple(_mean_of_both(setups)))
    modes = FilledTable(table=MODES, rows=tuple(row for found in gaps for row in found.rows))
    means = FilledTable(table=MODES_MEAN, rows=tuple(row for found in gaps for row in _mean_of_modes(found)))
    asked = FilledTable(table=MODES_PEOPLE, rows=tuple(row for found in gaps for row in _people_by_mode(found)))
    return AnalysisResult(
        tables=(both, mean, modes, means, asked, *(people.tables if people else ())),
        blocks=(
            *_setups(both, mean),
            *_modes([found.benchmark for found in gaps], modes, means, asked),
            *(people.blocks or () if people else ()),
        ),
        findings=tuple(_findings(setups, gaps)),
    )


def _gaps(evaluations: Sequence[Result], together: Models | None) -> ModeGaps | None:
    kept = [each for each in evaluations if not each.partial and not each.model.startswith("baseline/")]
    return mode_gaps(kept, together) if kept else None


def _both(found: EasyAndHard | None) -> Iterator[Row]:
    for each in found.rows if found else ():
        yield each.subject, each.simulated, each.contrast, each.easy_alone, each.hard_alone


def _mean_of_both(found: EasyAndHard | None) -> Iterator[Row]:
    if found is not None and found.mean is not None:
        alone = (fmean(each.easy_alone for each in found.rows), fmean(each.hard_alone for each in found.rows))
        easy, hard = _means(each.contrast for each in found.rows)
        yield len(found.rows), easy, hard, found.mean, *alone


def _mean_of_modes(found: ModeGaps) -> Iterator[Row]:
    if found.mean is not None:
        several, one = _means(gap for _, gap in found.rows)
        yield found.benchmark, len(found.rows), one, several, found.mean


def _means(found: Iterable[Contrast]) -> tuple[float, float]:
    """The means over models of both scores, A and B."""
    both = [(each.a, each.b) for each in found if each.a is not None and each.b is not None]
    return fmean(a for a, _ in both), fmean(b for _, b in both)


def _people_by_mode(found: ModeGaps) -> Iterator[Row]:
    """People's own figures, where there are some."""
    result = found.rows[0][0]
    modes, gap = result.by("mode", HUMAN), people_gap(result)
    if gap is not None:
        asked = sum(each.graded for each in modes.values())
        yield found.benchmark, modes["single"].value, modes["multi"].value, gap, asked


def _setups(both: FilledTable, mean: FilledTable) -> Iterator[Block]:
    if both.rows:
        yield Paragraph(words="Easy against Hard", role="heading", id="culturalbench-setups")
        yield Paragraph(words=SETUPS, role="explanation")
    ends, alone = (Show(key="easy", title="Easy"), Show(key="hard", title="Hard")), [Show(key=c.key) for c in ALONE]
    shown = (Show(key="model"), *ends, Show(key="gap"), TESTED[0], *alone, TESTED[1])
    yield from blocks_of(both, View(title=EASY_AND_HARD.title, rows=both.rows, shown=shown))
    over = (_mean_over(0), *ends, MEAN[0], *alone, *MEAN[1:])
    yield from blocks_of(mean, View(title=EASY_AND_HARD_MEAN.title, rows=mean.rows, shown=over))


def _mean_over(at: int) -> Show:
    return Show(key="models", title="Mean over", write=lambda row: words.plural(row[at], "model"))


def _modes(benchmarks: Sequence[str], modes: FilledTable, means: FilledTable, people: FilledTable) -> Iterator[Block]:
    if benchmarks:
        yield Paragraph(words="One right answer or several", role="heading", id="culturalbench-modes")
        yield Paragraph(words=ABOUT_MODES, role="explanation")
    ends = Show(key="single", title="One right"), Show(key="multi", title="Several right")
    for name in benchmarks:
        yield Paragraph(words=Span(name, "code"), role="subheading")
        own = tuple(row for row in modes.rows if row[0].benchmark == name)
        shown = (Show(key="evaluation", title="Model", lead="model"), *ends, Show(key="gap"), *TESTED)
        yield from blocks_of(modes, View(title=f"{MODES.title} on {name}", rows=own, shown=shown))
        for filled, over in (
            (means, (_mean_over(1), *ends, *MEAN)),
            (people, (*ends, Show(key="gap"), Show(key="questions"))),
        ):
            rows = tuple(row for row in filled.rows if row[0] == name)
            yield from blocks_of(filled, View(title=f"{filled.table.title}, on {name}", rows=rows, shown=over))


def _findings(setups: EasyAndHard | None, gaps: Sequence[ModeGaps]) -> Iterator[Finding]:
    """That models lose by the harder setup, and where several answers are right; the mean where it has an interval."""
    means: list[tuple[str, int, Estimate | None, str]] = [
        ("modes", 1, each.mean, f"where several answers are right than where one is, on {each.benchmark}")
        for each in gaps
    ]
    if setups is not None:
        means.insert(0, ("setups", -1, setups.mean, "on Hard than on Easy"))
    for name, sign, mean, where in means:
        if mean is None or mean.value is None or mean.low is None or mean.high is None or mean.low <= 0 <= mean.high:
            continue
        told = f"Models get {'less' if sign * mean.value > 0 else 'more'} {where}."
        sure = (CellValue(value=mean, format="signed"), " points, for other models and questions.")
        yield Finding(words=told, id=f"culturalbench.{name}", sure=sure)


CULTURALBENCH_ANALYSIS = Analysis(
    id="culturalbench",
    title="CulturalBench: Easy, Hard and people",
    tables=(EASY_AND_HARD, EASY_AND_HARD_MEAN, MODES, MODES_MEAN, MODES_PEOPLE, PEOPLE),
    analyse=analyse,
    order=11,
)
