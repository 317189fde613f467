"""CulturalBench's setups as blocks: Easy against Hard, one right answer against several, and models beside people."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from mores.analysis.across import Models, models_of
from mores.analysis.contrast import Contrast
from mores.analysis.results import Result, Results
from mores.benchmarks.culturalbench.setups import EasyAndHard, ModeGaps, easy_and_hard, mode_gaps, people_gap
from mores.benchmarks.shapes.people import HUMAN
from mores.benchmarks.shapes.people_tables import beside_people, people_table
from mores.blocks import Apart, Block, Cell, Column, Finding, Heads, Section, Span, Table, Text
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing
from mores.core.estimate import Estimate, caution_of
from mores.tables import as_data

SETUPS = (
    "Both setups ask the same questions, paired by their number. Hard less Easy is negative where a model knows the "
    "right option among four but does not judge each statement rightly; guessing alone gets 25% and 6%."
)
MODES = (
    "Questions with several right answers against those with one, which are other questions: a gap may also be theirs. "
    "The interval is for other questions of both kinds; p deals the kinds out anew over questions."
)

PEOPLE = people_table("culturalbench_people")


def setups_section(results: Results) -> Section | None:
    """What the setups show; None where there is nothing to say of either."""
    setups, together = easy_and_hard(results), dict[str, Models]()
    for models in models_of(results):
        together.setdefault(models.benchmark, models)
    gaps = [gap for each in results.benchmarks if (gap := _gaps(results.on(each), together.get(each))) is not None]
    people = beside_people(PEOPLE, ((results.on(name), None) for name in results.benchmarks))
    if setups is None and not gaps and people is None:
        return None
    return Section(
        id="culturalbench",
        title="CulturalBench: Easy, Hard and people",
        order=11,
        blocks=(
            *(_setups(setups) if setups else ()),
            *(_modes(gaps) if gaps else ()),
            *(people.blocks or () if people else ()),
        ),
        data={
            "easy_and_hard": setups,
            "mode_gaps": [_dict_of_gaps(each) for each in gaps],
            "people": as_data(people)[PEOPLE.id] if people else [],
        },
        findings=tuple(_findings(setups, gaps)),
    )


def _gaps(evaluations: Sequence[Result], together: Models | None) -> ModeGaps | None:
    kept = [each for each in evaluations if not each.partial and not each.model.startswith("baseline/")]
    return mode_gaps(kept, together) if kept else None


def _setups(found: EasyAndHard) -> Iterator[Block]:
    yield Text(words="Easy against Hard", role="heading", id="culturalbench-setups")
    yield Text(words=SETUPS, role="explanation")
    family = found.rows[0].contrast.family
    columns: Heads = (
        "Model",
        *(Column(title=title, format="share") for title in ("Easy", "Hard")),
        "Hard − Easy, points",
        Column(title=f"p (Holm, {words.plural(family, 'model')})", format="p"),
        *(Column(title=title, format="share") for title in ("Right on Easy alone", "Right on Hard alone")),
        Column(title="Questions", format="count"),
    )
    rows: list[tuple[Cell, ...]] = [
        (words.subject(e.subject, simulated=e.simulated), e.contrast.a, e.contrast.b, e.contrast,
         e.contrast.p_adjusted, e.easy_alone, e.hard_alone, e.contrast.units)
        for e in found.rows
    ]  # fmt: skip
    if found.mean is not None:
        alone = (fmean(each.easy_alone for each in found.rows), fmean(each.hard_alone for each in found.rows))
        rows.append(_mean_row(found.mean, [each.contrast for each in found.rows], *alone))
    yield Table.of("Easy against Hard by question", columns, rows)


def _mean_row(mean: Estimate, found: Sequence[Contrast], *ends: float, b_first: bool = False) -> tuple[Cell, ...]:
    """The row of the mean over models: other models and other questions."""
    sides = [fmean(side for each in found if (side := getattr(each, name)) is not None) for name in ("a", "b")]
    apart = Apart(
        difference=mean.value, low=mean.low, high=mean.high, missing=mean.missing, caution=caution_of(mean)
    )  # fmt: skip
    why = (Span(f" {format_missing(mean.missing)}", "soft"),) if mean.missing else ()
    name = (Span(f"Mean over {words.plural(len(found), 'model')}", "strong"), *why)
    return (name, *(reversed(sides) if b_first else sides), apart, "", *ends, mean.graded)


def _modes(gaps: Sequence[ModeGaps]) -> Iterator[Block]:
    yield Text(words="One right answer or several", role="heading", id="culturalbench-modes")
    yield Text(words=MODES, role="explanation")
    for found in gaps:
        yield Text(words=Span(found.benchmark, "code"), role="subheading")
        family = found.rows[0][1].family
        columns: Heads = (
            "Model",
            *(Column(title=title, format="share") for title in ("One right", "Several right")),
            "Gap, points",
            Column(title=f"p (Holm, {words.plural(family, 'model')})", format="p"),
            Column(title="Questions", format="count"),
        )
        rows: list[tuple[Cell, ...]] = [
            (words.subject(e.label, simulated=e.simulated), gap.b, gap.a, gap, gap.p_adjusted, gap.units)
            for e, gap in found.rows
        ]
        if found.mean is not None:
            rows.append(_mean_row(found.mean, [gap for _, gap in found.rows], b_first=True))
        rows += _people_by_mode(found.rows[0][0])
        yield Table.of(f"One right answer or several on {found.benchmark}", columns, rows)


def _people_by_mode(result: Result) -> Iterator[tuple[Cell, ...]]:
    """People's own figures, where there are some."""
    modes, gap = result.by("mode", HUMAN), people_gap(result)
    if gap is not None:
        shares = (modes[mode].value for mode in ("single", "multi"))
        asked = sum(each.graded for each in modes.values())
        yield Span("People", "strong"), *shares, gap, "", asked


def _findings(setups: EasyAndHard | None, gaps: Sequence[ModeGaps]) -> Iterator[Finding]:
    """That models lose by the harder setup, and where several answers are right; the mean where it has an interval."""
    means = [] if setups is None else [(-1, setups.mean, "on Hard than on Easy")]
    means += [
        (1, each.mean, f"where several answers are right than where one is, on {each.benchmark}") for each in gaps
    ]
    for sign, mean, where in means:
        if mean is None or mean.value is None or mean.low is None or mean.high is None or mean.low <= 0 <= mean.high:
            continue
        told = f"Models get {'less' if sign * mean.value > 0 else 'more'} {where}."
        yield Finding(words=told, sure=f"{words.format_difference(mean)} points, for other models and questions.")


def _dict_of_gaps(found: ModeGaps) -> dict[str, object]:
    rows = [{"model": each.label, "simulated": each.simulated, "gap": gap} for each, gap in found.rows]
    people = people_gap(found.rows[0][0])
    return {"benchmark": found.benchmark, "models": rows, "mean": found.mean, "people": people}
