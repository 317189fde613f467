"""Days in town as blocks: goal against adherence, readings, groups, and what settings change."""

from collections.abc import Iterator, Sequence

from mores.analysis.comparable import describe_unlike
from mores.analysis.results import Result, Results
from mores.benchmarks.liveculture.lived.days import BESIDE, READINGS, Single, Town, town
from mores.benchmarks.liveculture.lived.front import REDRAWS, Front, Spot
from mores.benchmarks.liveculture.lived.group_blocks import NAMES, group_blocks, who_of
from mores.benchmarks.liveculture.lived.reading import ADHERENCE, GOAL
from mores.benchmarks.liveculture.lived.settings import Change
from mores.benchmarks.liveculture.lived.settings import Series as OfSetting
from mores.blocks import (
    Axis,
    Beside,
    Block,
    Cell,
    Chart,
    Column,
    Finding,
    Point,
    Section,
    Series,
    Span,
    Stack,
    Table,
    Text,
    Words,
)
from mores.blocks import formatting as words
from mores.core.estimate import Estimate

SETTINGS = {
    "cultures": "places that the others come from",
    "pressure": "pressure of the others",
    "decoding": "decoding of the target’s model",
}
LEAD = (
    "A model lives a resident’s day in a simulated town. It has tasks, and people may push it to break norms of the "
    "resident’s origin. A verifier judges each step. Tasks done (goal) and norms kept (adherence) are two separate "
    "figures. Every share is first averaged within a day; it has a 95% interval, clustered by day, and n, the number "
    "of days."
)
DOMINATES = (
    "One model dominates another if it is at least as good in both and better in one; those that nobody dominates are "
    "the Pareto front, the stair in the picture. It is the front of these figures as they came out: the last column "
    f"says besides in which share of {REDRAWS:,} redraws of the same days, for all models at once, a model is on it."
)
THREE = (
    "The paper does not give its formula, so there are three readings: the share of steps without a violated norm; the "
    "share of all norms of the place that are not violated (norms that did not apply raise it); and the share of "
    "applicable norms that are respected. Days of residents whose origin has no known norm do not count."
)
JUDGED_AGAIN = (
    "judged again. A task that the verifier of the day called done was not asked about at later steps, so what that "
    "verifier wrongly called done can only count as not done here, and tasks done lean towards its mistakes."
)
AXES = (Axis(title="the day’s tasks that were done"), Axis(title="steps without a violated norm"))


def town_section(results: Results) -> Section:
    """What evaluations of days in town say."""
    return section(town(results))


def section(found: Town) -> Section:
    """The section of what was found."""
    return Section(
        id="town",
        title="Days in town: tasks done and norms kept",
        blocks=(
            Text(words=words.lead(LEAD, simulated=found.simulated), role="explanation"),
            *_against_each_other(found),
            *_readings(found),
            *(block for table in found.tables for block in group_blocks(table, found)),
            *_settings(found),
        ),
        data=found.to_dict(),
        findings=tuple(_finding(each.evaluation, each.whole) for each in found.singles if each.whole is not None),
    )


def _finding(evaluation: Result, whole: Spot) -> Finding:
    """What one model did of its tasks, and how far it kept to norms meanwhile."""
    done, kept = map(_share, (whole.goal, whole.adherence))
    told = (Span(evaluation.label, "model"), f" did {done or 'an unknown share'} of its tasks.")
    judged = f"It kept to norms in {kept} of the steps that were judged." if kept else "None of its steps was judged."
    return Finding(words=told, sure=judged)


def _share(figure: Estimate | None) -> str:
    """A share with its interval where it has one; empty where there is none."""
    if figure is None or figure.value is None:
        return ""
    interval = "" if figure.low is None else f" {words.format_interval(figure)}"
    return f"{words.format_number(figure.value)}{interval}"


def _against_each_other(found: Town) -> Iterator[Block]:
    yield Text(words="Goal against adherence", role="heading", id="town-front")
    if found.fronts:
        yield Text(words=DOMINATES, role="explanation")
    yield from (block for front in found.fronts for block in _front(front))
    yield from (block for single in found.singles for block in _single(single))
    refused = ("Not compared, because ", Span("mores compare", "code"), " would refuse to: ")
    yield from (Text(words=(*refused, describe_unlike(each))) for each in found.apart)
    if found.rejudged:
        yield Text(words=(*words.joined(who_of(each) for each in found.rejudged), f": {JUDGED_AGAIN}"))


def _front(front: Front) -> Iterator[Block]:
    yield Text(words=front.conditions, role="note")
    labels = [str(number) for number in range(1, len(front.spots) + 1)]
    points = tuple(
        _point(spot, label, each.evaluation.label)
        for spot, label, each in zip(front.spots, labels, front.lived, strict=True)
    )
    rows = (
        ((*words.as_words(who_of(each.evaluation)), " ", Span(label, "soft")),
         spot.goal, spot.adherence, _on_front(spot))
        for label, each, spot in zip(labels, front.lived, front.spots, strict=True)
    )  # fmt: skip
    table = Table.of("Goal against adherence", ("Model", "Tasks done", NAMES[ADHERENCE], "On the front"), rows)
    yield Beside(blocks=(_plane("Goal against adherence of several models", (Series(points=points),)), table))


def _plane(title: str, series: tuple[Series, ...]) -> Chart:
    return Chart(kind="plane", title=title, series=series, axes=AXES)


def _point(spot: Spot, label: str, name: str) -> Point:
    return Point(x=spot.goal, y=spot.adherence, label=label, name=name, marked=spot.on_front)


def _on_front(spot: Spot) -> Cell:
    if not spot.placed:
        return Span("no place: a figure is missing", "missing")
    beaten = ("no: dominated by ", *words.joined(Span(name, "model") for name in spot.beaten_by or ()))
    redrawn = "too few days to redraw" if spot.sure is None else f"in {words.format_number(spot.sure)} of redraws"
    return Stack((Span("yes", "strong") if spot.on_front else beaten, Span(redrawn, "soft")))


def _single(single: Single) -> Iterator[Block]:
    alone = (
        " stands alone here, so there is no front: no other model lived the same days under the same conditions; "
        "the points are its "
    )
    evaluation = single.evaluation
    if single.of == "runs":
        who = words.subject(evaluation.model, simulated=evaluation.simulated)
        yield Text(words=(*who, alone, "runs, which differ in their settings or days."))
    else:
        be = "is" if single.left_out == 1 else "are"
        left = f"; {single.left_out} of too few days, or without a norm that is known, {be} not drawn"
        told = (
            f"nationalities with their codes, the diamond is the model over all days{left if single.left_out else ''}. "
            "The nationalities are parts of one model and no rivals, and which of them differ is not tested."
        )
        yield Text(words=(*words.as_words(who_of(evaluation)), alone, told))
        yield Text(words=single.conditions, role="note")
    points = tuple(Point(x=s.goal, y=s.adherence, label=label, name=s.name) for s, label in single.points)
    series = [Series(points=points)]
    rows: list[tuple[Cell, ...]] = [
        ((spot.name, " ", Span(label, "soft")), spot.goal, spot.adherence) for spot, label in single.points
    ]
    if single.whole is not None:
        series.append(Series(points=(_point(single.whole, "", "all days"),), marked=True))
        rows.insert(0, ("◆ all days", single.whole.goal, single.whole.adherence))
    first = "Run" if single.of == "runs" else "Nationality"
    table = Table.of("Goal against adherence of one model", (first, "Tasks done", NAMES[ADHERENCE]), rows)
    yield Beside(blocks=(_plane("Goal against adherence of one model", tuple(series)), table))


def _readings(found: Town) -> Iterator[Block]:
    yield Text(words="Three readings of adherence", role="heading", id="town-readings")
    yield Text(words=THREE, role="explanation")
    yield _by_model("Readings of adherence by model", READINGS, found.evaluations)
    yield Text(words="What the verifier says besides, of all days:", role="explanation")
    yield _by_model("Goal and other verdicts by model", BESIDE, found.evaluations)


def _by_model(caption: str, metrics: Sequence[str], evaluations: Sequence[Result]) -> Table:
    rows = ((who_of(each), *(each.whole(metric) for metric in metrics)) for each in evaluations)
    return Table.of(caption, ("Model", *(NAMES[metric] for metric in metrics)), rows)


def _settings(found: Town) -> Iterator[Block]:
    if not found.series:
        return
    yield Text(words="Effect of settings", role="heading", id="town-settings")
    be = "is" if found.significant == 1 else "are"
    yield Text(
        words="Runs of one model that differ in one setting alone. A change is the last value less the first, day by "
        f"day on the same residents; p is corrected by Holm for the {len(found.changes)} changes tested here, of which "
        f"{found.significant} {be} significant at .05."
    )
    metrics = (*READINGS, GOAL)
    rows = (
        (_of(series), _title(series), Span(value, "strong"), *(each.evaluation.whole(m) for m in metrics))
        for series in found.series
        for value, each in zip(series.values, series.lived, strict=True)
    )
    yield Table.of("Figures by setting", ("Model", "Setting", "Value", *(NAMES[metric] for metric in metrics)), rows)
    if found.changes:
        yield _changes(found.changes)


def _of(series: OfSetting) -> Words:
    return words.subject(series.evaluation.model, simulated=series.evaluation.simulated)


def _title(series: OfSetting) -> str:
    return SETTINGS.get(series.setting, series.setting)


def _changes(changes: Sequence[Change]) -> Table:
    columns = (
        *("Model", "Setting", "Share", "Change in points"),
        Column(title=f"p (Holm, {len(changes)})", format="p"),
        Column(title="n, days", format="count"),
    )
    rows = []
    for change in changes:
        series, values = change.series, change.series.values
        setting = f"{_title(series)}: {values[0]} to {values[-1]}"
        share, pair = NAMES[change.contrast.metric].lower(), change.contrast
        rows.append((_of(series), setting, share, pair, pair.p_adjusted, pair.units))
    return Table.of("Changes by setting", columns, rows)
