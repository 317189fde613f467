"""Means of judges corrected by people's labels: the nouns of each task's mean, and the targets that are averaged.

Nothing is carried from one model to another: a model without labels of its own is named and left as it is. What is
estimated is the mean of people's words, who err too.

A task of points has one mean. Of words each is a target, against the rest; of two words one, that which counts in the
benchmark's figure. Words that are steps of a scale (0 to 3) have their mean beside.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from mores.analysis.results import Result
from mores.annotation.judged_items import JudgedItem
from mores.annotation.label_tables import TaskTable
from mores.core.arrays import Floats
from mores.core.card import Metric
from mores.core.estimate import SEPARATE, Caution, Estimate, MetricRows
from mores.core.verdict_table import VerdictTable
from mores.stats.paired import Paired
from mores.stats.rogan_gladen import RoganGladen

CountedAs = Literal["thing", "unit"]
MEAN = "mean"
CLOSE = 1e-6
"""Distance up to which a mean and a figure are the same."""


class Target(Struct, frozen=True, kw_only=True):
    """A mean over the things of a task: of points, or of what each of its words is worth."""

    name: str
    worth: tuple[float, ...] = ()

    @property
    def is_share(self) -> bool:
        """True for the share of one word."""
        return self.name != MEAN

    @property
    def low(self) -> float:
        """The least that it can be."""
        return min(self.worth, default=0.0)

    @property
    def high(self) -> float:
        """The most that it can be."""
        return max(self.worth, default=1.0)

    @property
    def metric(self) -> Metric:
        """Its range, so that it is put into words as figures of that range are."""
        return Metric(name=self.name, unit="thing", says="", low=self.low, high=self.high)

    def judged(self, table: TaskTable) -> Floats:
        """The judges' figure of each thing: the probability of the word where they weighed words; NaN for none."""
        plain = self.worth_of(table.judged)
        if not self.worth:
            return plain
        weighed = [self._weighed(row, table.options) for row in table.rows]
        return np.array([own if own is not None else hard for own, hard in zip(weighed, plain.tolist(), strict=True)])

    def worth_of(self, codes: Floats) -> Floats:
        """Words, by people or by judges, as figures; NaN for none."""
        if not self.worth:
            return codes
        known = np.isfinite(codes)
        values = np.asarray(self.worth)[np.where(known, codes, 0).astype(np.int64)]
        return np.where(known, values, np.nan)

    def _weighed(self, row: JudgedItem, options: tuple[str, ...]) -> float | None:
        """The mean over votes of what the words' probabilities make of it; None where no probabilities were read."""
        shares = [vote.shares for votes in row.votes.values() for vote in votes if vote.shares is not None]
        if not shares:
            return None
        worth = dict(zip(options, self.worth, strict=True))
        return float(np.mean([sum(share * worth[name] for name, share in each.items()) for each in shares]))


class TaskFacts(Struct, frozen=True):
    """Verdicts of one task that stand beside its votes.

    `points` are those of each word, `nothing_to_judge` answers that left nothing to judge, `unheard` those on which no
    judge's word could be had at all; neither has a vote.
    """

    points: Mapping[str, set[float]]
    nothing_to_judge: int
    unheard: int

    @classmethod
    def of(cls, table: TaskTable, verdicts: VerdictTable) -> "TaskFacts":
        """The facts of a table's task in one evaluation."""
        frame, ballots = verdicts.frame(table.task), verdicts.ballots(table.task)
        voted = {(row.thing.item, row.thing.sample) for row in table.rows}
        points: dict[str, set[float]] = {}
        decided = unheard = 0
        columns = (frame.item.tolist(), frame.sample.tolist(), frame.points.tolist(), frame.label.tolist(), ballots)
        for about, sample, value, label, ballot in zip(*columns, strict=True):
            if SEPARATE in verdicts.item_metadata[about].groups:
                continue
            graded = not isnan(value)
            if graded and ballot is not None and label >= 0:
                points.setdefault(verdicts.words[label], set()).add(value)
            elif not (graded and ballot is not None) and (verdicts.item_metadata[about].item, sample) not in voted:
                decided, unheard = decided + graded, unheard + (not graded)
        return cls(points, decided, unheard)


def targets_of(table: TaskTable, facts: TaskFacts) -> tuple[Target, ...]:
    """Targets that are averaged over the things of a task, the benchmark's own reading first."""
    options = table.options
    if not options:
        return (Target(name=MEAN),)
    worth = _worth(options, facts.points)
    classes = tuple(
        Target(name=name, worth=tuple(float(other == name) for other in options)) for name in options
    )  # fmt: skip
    own = next((each for each in classes if each.worth == worth), None)
    # a scale of several steps: its mean is the figure, and each word has its share
    if own is None and worth is not None:
        return (Target(name=MEAN, worth=worth), *classes)
    if len(options) == 2:
        return (own or classes[0],)
    return classes if own is None else (own, *(each for each in classes if each is not own))


def _worth(options: Sequence[str], points: Mapping[str, set[float]]) -> tuple[float, ...] | None:
    """Value of each word in the benchmark's figure, where that is the same wherever it was said."""
    if any(len(found) > 1 for found in points.values()) or not points or not set(points) <= set(options):
        return None
    known = {name: next(iter(found)) for name, found in points.items()}
    for name in options:
        # a step of a scale is worth its number also where nobody got it
        if name not in known and name.replace(".", "", 1).isdecimal():
            known[name] = float(name)
    shares = set(known.values()) == {0.0, 1.0} and list(known.values()).count(1.0) == 1
    if len(known) < len(options) and not shares:
        return None
    return tuple(known.get(name, 0.0) for name in options)


class CardFigure(Struct, frozen=True, kw_only=True):
    """The figure of the card that a target is: `mass` · mean over what was judged + `rest` for what was not.

    `mass` is less than 1 where answers left nothing to judge; `counted` says what counts alike in the mean, and
    `weights` how much each judged thing therefore counts, in the order of the rows. `places` has mass and rest of each.
    """

    estimate: Estimate
    metric: Metric | None
    headline: bool
    counted: CountedAs
    weights: Floats
    mass: float = 1.0
    rest: float = 0.0
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def at(self, place: str) -> "CardFigure":
        """The same of one place; its weights are of no use there."""
        mass, rest = self.places.get(place, (1.0, 0.0))
        return replace(self, mass=mass, rest=rest)

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.estimate.metric


def figure_of(target: Target, table: TaskTable, result: Result) -> CardFigure | None:
    """The metric whose scores are what judges said of just these graded things; None where no metric is.

    Scores of answers that nobody had to judge are in its figure too: they are its `rest`.
    """
    judged = target.judged(table)
    for name in _names(table.task, target, result):
        rows, whole = result.scores[name], result.overall(name)
        of = _rows_of(table, rows)
        # the figure has to be of just these things, else a correction of them is none of it
        if of is None or whole is None or whole.value is None:
            continue
        if not np.allclose(rows.value[of], judged, rtol=0, atol=CLOSE):
            continue
        graded = np.flatnonzero(np.isfinite(rows.value))
        weights = _weights(rows, graded)
        if abs(float(weights[graded] @ rows.value[graded]) - whole.value) <= CLOSE:  # else the run counted otherwise
            metric, headline = result.metric(name), name == result.headline
            return _figure(whole, metric, headline=headline, rows=rows, of=of, weights=weights)
    return None


def _names(task: str, target: Target, result: Result) -> Iterator[str]:
    """Metrics that are means of what a task came to, the headline first; of several tasks, those of its name."""
    scores, named = result.scores, {task, target.name, f"{task}_{target.name}"}
    own = [name for name in scores.means if scores[name].task == task or (not scores[name].task and name in named)]
    yield from sorted(own, key=lambda name: (name != result.headline, list(scores).index(name)))


def _rows_of(table: TaskTable, rows: MetricRows) -> npt.NDArray[np.int64] | None:
    """The row of each judged thing, at the same place; None where one has none, or shares it.

    A thing's row has its norm or step for a part; else it is the only one of the item's sample.
    """
    keys = rows.keys
    names = list(zip(keys.item.texts(), keys.part.texts(), keys.sample.tolist(), strict=True))
    exact = {name: row for row, name in enumerate(names)}
    count = Counter((item, sample) for item, _, sample in names)
    alone = {(item, n): row for row, (item, _, n) in enumerate(names) if count[item, n] == 1}
    found = []
    for thing in (row.thing for row in table.rows):
        part = thing.norm or ("" if thing.step is None else str(thing.step))
        row = exact.get((thing.item, part, thing.sample))
        found.append(alone.get((thing.item, thing.sample), -1) if row is None else row)
    if not found or min(found) < 0 or len(set(found)) < len(found):
        return None
    of, places = np.array(found), np.array(keys.place.texts(), dtype=np.str_)
    return of if (places[of] == table.places).all() else None


def _weights(rows: MetricRows, graded: npt.NDArray[np.int64]) -> Floats:
    """Weight of each row, as units are put together: rows of a sample, samples of a unit, units alike."""
    unit = rows.keys.unit.codes[graded]
    sample = unit * (1 + int(rows.keys.sample.max(initial=0))) + rows.keys.sample[graded]
    _, of, size = np.unique(sample, return_inverse=True, return_counts=True)
    first = unit[np.unique(sample, return_index=True)[1]]
    _, of_unit, samples = np.unique(first, return_inverse=True, return_counts=True)
    weights = np.zeros(len(rows))
    weights[graded] = 1.0 / (size[of] * samples[of_unit][of] * samples.size)
    return weights


def _figure(
    whole: Estimate,
    metric: Metric | None,
    *,
    headline: bool,
    rows: MetricRows,
    of: npt.NDArray[np.int64],
    weights: Floats,
) -> CardFigure:
    judged = np.zeros(len(rows), dtype=np.bool_)
    judged[of] = True
    values = np.where(weights > 0, rows.value, 0.0)

    def split(own: npt.NDArray[np.bool_]) -> tuple[float, float]:
        """The part of a mean over some that was judged, and what all else adds to it."""
        # a place without any weight has nothing to divide
        share = weights * own / max(float(weights[own].sum()), 1e-300)
        return float(share[judged].sum()), float(share[~judged] @ values[~judged])

    mass, rest = split(np.ones(len(rows), dtype=np.bool_))
    places = np.array(rows.keys.place.texts(), dtype=np.str_)
    return CardFigure(
        estimate=whole,
        metric=metric,
        headline=headline,
        counted="thing" if np.ptp(weights[weights > 0]) <= CLOSE / len(rows) else "unit",
        weights=weights[of],
        mass=mass,
        rest=rest,
        places={place: split(places == place) for place in np.unique(places).tolist()},
    )


Method = Literal["ppi", "rogan-gladen", "both"]
LEVEL = 0.05
JUDGE, PPI, ROGAN, PEOPLE = "judge, uncorrected", "PPI++", "Rogan–Gladen", "people alone"


class CorrectionOptions(Struct, frozen=True, kw_only=True):
    """Settings of a correction: methods, confidence, place by place or not, and the seed."""

    method: Method = "both"
    confidence: float = 0.95
    by_place: bool = False
    seed: int = 0


class CorrectedMean(Struct, frozen=True, kw_only=True):
    """One mean over one group, all ways; a method that refuses has no value and says why, one not asked for is None.

    `place` is empty for the whole. `lam` says how far the judge's figures are used, one a stratum. Of a share,
    `sensitivity` and `specificity` are the judge's, and `rates` has them as they enter Rogan and Gladen's figure and
    its interval. `difference` is people less judge over labelled things, `p_holm` its p corrected for all such claims
    of the task. `refused` says why a method has no value.
    """

    target: Target
    place: str
    figure: CardFigure | None
    judged: int
    labelled: int
    clusters: int
    judge: Estimate
    people: Estimate
    powered: Estimate | None
    rogan: Estimate | None
    lam: tuple[float, ...]
    rates: RoganGladen | None
    difference: Paired
    sensitivity: Estimate | None = None
    specificity: Estimate | None = None
    p_holm: float | None = None
    refused: Mapping[str, Caution] = field(default_factory=dict)

    @property
    def metric(self) -> Metric | None:
        """Range of it."""
        return self.figure.metric if self.figure is not None else self.target.metric

    @property
    def ways(self) -> tuple[tuple[str, Estimate], ...]:
        """Each way with its figure, the uncorrected first."""
        found = (
            (JUDGE, self.judge), (PPI, self.powered), (ROGAN, self.rogan), (PEOPLE, self.people),
        )  # fmt: skip
        return tuple((name, figure) for name, figure in found if figure is not None)

    @property
    def best(self) -> Estimate | None:
        """The corrected figure, of the first method that does not refuse."""
        return next((each for each in (self.powered, self.rogan) if each is not None and each.value is not None), None)

    @property
    def significant(self) -> bool:
        """True where judge and people differ, after correction for the number of claims."""
        return self.p_holm is not None and self.p_holm < LEVEL


class TaskCorrected(Struct, frozen=True, kw_only=True):
    """One task of one model on one benchmark, its whole by each target and its places.

    `judges` are specs by role. `ungraded` are things on which judges said nothing usable, `nothing_to_judge` answers
    that left nothing; of what people labelled `tied` have no majority and `labelled_ungraded` were not graded by
    judges. `family` counts the claims that judge and people differ.
    """

    run: str
    model: str
    benchmark: str
    task: str
    judges: Mapping[str, str]
    options: tuple[str, ...]
    simulated: bool
    judged: int
    ungraded: int
    nothing_to_judge: int
    people: int
    labelled: int
    tied: int
    labelled_ungraded: int
    family: int
    warnings: tuple[Caution, ...]
    remarks: tuple[Caution, ...]
    whole: tuple[CorrectedMean, ...]
    places: tuple[CorrectedMean, ...]


class Uncorrected(Struct, frozen=True, kw_only=True):
    """A model on a benchmark that is left as it is: no label of the task is of its answers, but of those `labelled`."""

    run: str
    model: str
    benchmark: str
    task: str
    labelled: tuple[str, ...]


class Corrections(Struct, frozen=True, kw_only=True):
    """All tasks with labels, and the models without; `simulated` where any answer, judge or label was made up."""

    simulated: bool
    confidence: float
    tasks: tuple[TaskCorrected, ...]
    without: tuple[Uncorrected, ...]
