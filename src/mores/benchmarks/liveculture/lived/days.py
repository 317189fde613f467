"""What some runs say of days in town: the front, the readings of adherence, groups and what settings change."""

from collections.abc import Sequence
from dataclasses import dataclass

from mores.analysis.comparable import Unlike, describe_unlike
from mores.analysis.contrast import Contrast
from mores.analysis.results import Result, Results
from mores.benchmarks.liveculture.lived.front import Front, Spot, front_of
from mores.benchmarks.liveculture.lived.groups import NATIONALITY, Table, spots_of, tables_of
from mores.benchmarks.liveculture.lived.in_play import NormsInPlay, norms_in_play
from mores.benchmarks.liveculture.lived.reading import (
    ABSENT,
    ADHERENCE,
    APPLICABLE,
    COHERENCE,
    CONTEXT,
    FAITHFULNESS,
    GOAL,
    MEAN,
    ON_TIME,
    Lived,
    describe_conditions,
    figure_of,
    kept_apart,
    rivals_of,
)
from mores.benchmarks.liveculture.lived.settings import Change, Series, changes_of, series_of
from mores.benchmarks.liveculture.lived.trend import trends_of
from mores.blocks.reasons import plain_fields

READINGS = (ADHERENCE, MEAN, APPLICABLE, ABSENT)
"""The three readings of adherence, and the share that tells the second from the third."""
BESIDE = (GOAL, ON_TIME, FAITHFULNESS, CONTEXT, COHERENCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """One model's own picture: it as a whole, and its nationalities or its runs as points.

    Each of `points` has a label; `left_out` are the nationalities with too few days.
    """

    evaluation: Result
    conditions: str
    of: str
    whole: Spot | None
    points: tuple[tuple[Spot, str], ...]
    left_out: int = 0


@dataclass(frozen=True, kw_only=True)
class Town:
    """All that the runs say of days in town; `apart` says why models are not held against each other."""

    lived: tuple[Lived, ...]
    fronts: tuple[Front, ...]
    singles: tuple[Single, ...]
    tables: tuple[Table, ...]
    series: tuple[Series, ...]
    changes: tuple[Change, ...]
    trends: tuple[tuple[Result, Contrast], ...] = ()
    in_play: tuple[NormsInPlay, ...] = ()
    apart: tuple[Unlike, ...] = ()

    @property
    def evaluations(self) -> tuple[Result, ...]:
        """One model in one run each."""
        return tuple(each.evaluation for each in self.lived)

    @property
    def simulated(self) -> bool:
        """True where any day was made up."""
        return any(evaluation.simulated for evaluation in self.evaluations)

    @property
    def rejudged(self) -> tuple[Result, ...]:
        """Those whose days were judged again."""
        return tuple(each.evaluation for each in self.lived if each.rejudged)

    @property
    def significant(self) -> int:
        """Changes that are significant after correction."""
        return sum(change.contrast.found for change in self.changes)

    def to_dict(self) -> dict[str, object]:
        """All figures of the section."""
        metrics = (*READINGS, *BESIDE)
        return {
            "simulated": self.simulated,
            "standing": [
                {**_named(evaluation), "figures": {metric: evaluation.whole(metric) for metric in metrics}}
                for evaluation in self.evaluations
            ],
            "fronts": [_dict_of_front(front) for front in self.fronts],
            "apart": [describe_unlike(each) for each in self.apart],
            "judged_again": [_named(evaluation) for evaluation in self.rejudged],
            "single": [
                {
                    **_named(each.evaluation),
                    "of": each.of,
                    "left_out": each.left_out,
                    "points": [s for s, _ in each.points],
                }
                for each in self.singles
            ],
            "groups": {
                table.kind: [
                    {**_named(evaluation), "group": group.value, "figures": figures}
                    for group in table.groups
                    for evaluation, figures in zip(table.evaluations, group.figures, strict=True)
                ]
                for table in self.tables
            },
            "trend_over_cultures": [
                {**_named(evaluation), **_dict_of_contrast(trend)} for evaluation, trend in self.trends
            ],
            "norms_in_play": [
                {
                    **_named(each.evaluation),
                    "by": each.by,
                    "in_play": each.in_play,
                    "factor": each.factor,
                    "groups": each.groups,
                }
                for each in self.in_play
            ],
            "settings": {
                "family": len(self.changes),
                "figures": [_dict_of_series(each) for each in self.series],
                "changes": [_dict_of_change(each) for each in self.changes],
            },
        }


def town(results: Results) -> Town:
    """What evaluations of days in town say.

    Raises:
        InputError: verdicts cannot be read.
    """
    lived = tuple(Lived(evaluation=evaluation) for evaluation in results.evaluations)
    tables, series = tables_of(lived), series_of(lived)
    rivals = rivals_of(lived)
    return Town(
        lived=lived,
        fronts=tuple(front_of(group) for group in rivals),
        singles=_singles(lived, rivals, tables),
        tables=tables,
        series=series,
        changes=changes_of(series),
        trends=trends_of(results.evaluations),
        in_play=norms_in_play(results.evaluations),
        apart=kept_apart(lived),
    )


def _singles(lived: Sequence[Lived], rivals: Sequence[Sequence[Lived]], tables: Sequence[Table]) -> tuple[Single, ...]:
    """A picture for each model that no other stands beside: of its runs, where it has several, else of its origins."""
    paired = {each.evaluation.label for group in rivals for each in group}
    alone = [each for each in lived if each.evaluation.label not in paired]
    by_nationality = next((table for table in tables if table.kind == NATIONALITY), None)
    found = []
    for model in dict.fromkeys(each.evaluation.model for each in alone):
        runs = [each for each in alone if each.evaluation.model == model]
        if len(runs) > 1:
            found.append(_of_runs(runs))
        elif by_nationality is not None:
            found.append(_of_origins(runs[0], by_nationality))
    return tuple(found)


def _of_runs(runs: Sequence[Lived]) -> Single:
    """Runs of one model, each named by what tells it from the others: settings, or how it was judged."""
    published = {gone.setting: gone.published for each in runs for gone in each.evaluation.provenance.departures}
    terms = [{**published, **each.unusual} for each in runs]
    differing = [name for name in sorted(published) if len({each[name] for each in terms}) > 1]
    names = [", ".join(f"{name} {each[name]}" for name in differing) for each in terms]
    points = tuple(
        (_spot(name or each.evaluation.label, each), str(number))
        for number, (name, each) in enumerate(zip(names, runs, strict=True), start=1)
    )
    return Single(evaluation=runs[0].evaluation, conditions="", of="runs", whole=None, points=points)


def _of_origins(lived: Lived, table: Table) -> Single:
    found = spots_of(lived.evaluation, table)
    there = sum(bool(group.figures[table.evaluations.index(lived.evaluation)]) for group in table.groups)
    return Single(
        evaluation=lived.evaluation,
        conditions=describe_conditions([lived]),
        of="nationalities",
        whole=_spot(lived.evaluation.label, lived),
        points=found,
        left_out=there - len(found),
    )


def _spot(name: str, lived: Lived) -> Spot:
    return Spot(name=name, goal=figure_of(lived.evaluation, GOAL), adherence=figure_of(lived.evaluation, ADHERENCE))


def _named(evaluation: Result) -> dict[str, object]:
    return {"model": evaluation.label, "benchmark": evaluation.benchmark, "simulated": evaluation.simulated}


def _dict_of_front(front: Front) -> dict[str, object]:
    return {
        "conditions": front.conditions,
        "simulated": front.simulated,
        "points": [
            {**_named(each.evaluation), "goal": spot.goal, "adherence": spot.adherence,
             "on_front": spot.on_front if spot.placed else None, "dominated_by": spot.beaten_by,
             "on_front_in_redraws": spot.sure}
            for each, spot in zip(front.lived, front.spots, strict=True)
        ],
    }  # fmt: skip


def _dict_of_series(series: Series) -> dict[str, object]:
    return {
        "model": series.evaluation.model, "simulated": series.evaluation.simulated, "setting": series.setting,
        "values": {
            value: {metric: each.evaluation.whole(metric) for metric in (*READINGS, GOAL)}
            for value, each in zip(series.values, series.lived, strict=True)
        },
    }  # fmt: skip


def _dict_of_change(change: Change) -> dict[str, object]:
    values = change.series.values
    return {
        "model": change.series.evaluation.model, "setting": change.series.setting, "from": values[0], "to": values[-1],
        **_dict_of_contrast(change.contrast),
    }  # fmt: skip


def _dict_of_contrast(pair: Contrast) -> dict[str, object]:
    return {
        "metric": pair.metric, "difference": pair.difference, "low": pair.low, "high": pair.high, "p": pair.p,
        "p_holm": pair.p_adjusted, "days": pair.units, "test": pair.test, "method": pair.method, "why": pair.missing,
        **plain_fields(pair, "caution"),
    }  # fmt: skip
