"""Judges beside judges: one asked again and again, several as a jury, and what a jury or putting length right changes.

What is put right for length is put right by a slope found in other clusters than those it is applied to, so that the
figures after it are not flattered by it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mores.core.errors import InputError
from mores.people.tables import Floats, TaskTable
from mores.reports.trust.agreement_pair import Mask
from mores.reports.trust.agreement_words import Grid, counted, finite, number, plain, told
from mores.stats import (
    ABSTAIN,
    Design,
    LengthBias,
    Measured,
    Panel,
    PanelVote,
    Repeats,
    length_bias,
    majority_vote,
    pair_agreement,
    panel_worth,
    pearson_correlation,
    repeat_stability,
)
from mores.stats.cluster_sums import Sums, ratio, share

_FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One judge asked several times of the same things, over all that was judged, labelled or not."""

    judge: str
    repeats: Repeats
    points: bool

    def line(self) -> str:
        """How often it contradicts itself."""
        found = self.repeats
        flips = "" if self.points else f"two of its runs differ on {told(found.flip_rate, 'share')}; "
        return (
            f"{self.judge} with itself over {found.runs:.3g} runs, n = {found.items:,}: {flips}alpha "
            f"{told(found.alpha)}; of the variance of its mean {number(found.reliability, 'share')} is between things."
        )

    def plain(self) -> dict[str, object]:
        """All of it for programs."""
        found = self.repeats
        return {
            "judge": self.judge, "n": found.items, "runs": found.runs,
            "flip_rate": None if self.points else plain(found.flip_rate), "alpha": plain(found.alpha),
            "variance": {"between_things": finite(found.item_variance), "between_runs": finite(found.run_variance),
                         "reliability": finite(found.reliability)},
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One way to come to a judgement, held against people: one run, the mean of several, a jury, put right for length.

    `together` is Pearson's correlation of points, Cohen's kappa of words. `apart` is the variance of judge less people,
    for words the share of errors; `ratio` is that over the single run's, and `reduced` what is gone of it.
    """

    name: str
    together: Measured
    apart: float
    ratio: float
    reduced: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Improved:
    """The stages over the same things; `bias` is what the last judge gives to length, `why` why that is not known."""

    units: int
    stages: tuple[Stage, ...]
    points: bool
    bias: LengthBias | None = None
    why: str | None = None

    def lines(self) -> Iterator[str]:
        """What the last stage changed."""
        first, last = self.stages[0], self.stages[-1]
        what = ("variance of judge less people", "r") if self.points else ("share of errors", "kappa")
        if len(self.stages) > 1:
            yield (
                f"From {first.name} to {last.name}: {what[1]} {number(first.together.value)} to "
                f"{number(last.together.value)}, {what[0]} × {number(last.ratio)}."
            )

    def grid(self) -> Grid:
        """A row a stage."""
        heads = ("r", "variance", "×", "gone") if self.points else ("kappa", "errors", "×", "gone")
        rows = tuple(
            (told(s.together), f"{s.apart:.4f}" if self.points else number(s.apart, "share"), number(s.ratio),
             told(s.reduced, "share") if number_ else "", s.name)
            for number_, s in enumerate(self.stages)
        )  # fmt: skip
        note = f"Not put right for length: {self.why}." if self.why else ""
        if self.bias is not None:
            note = (
                f"The judge gives {self.bias.slope:+.3f} ± {1.96 * self.bias.error:.3f} points beyond people's for "
                f"each unit of log length; found in {_FOLDS} parts, each corrected by the others."
            ).replace("-", "−")
        return Grid(title=f"Before and after, n = {self.units:,}", heads=(*heads, "judged by"), rows=rows, note=note)

    def plain(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "n": self.units,
            "stages": [
                {"judged_by": s.name, "correlation" if self.points else "kappa": plain(s.together),
                 "variance" if self.points else "errors": finite(s.apart), "ratio": finite(s.ratio),
                 "reduced": plain(s.reduced)}
                for s in self.stages
            ],
            "length": None if self.bias is None else {"slope": self.bias.slope, "error": self.bias.error,
                                                      "n": self.bias.labelled},
            "why_no_length": self.why,
        }  # fmt: skip


def asked_again(table: TaskTable, design: Design) -> tuple[Asked, ...]:
    """Each judge that was asked several times, with itself, over all that was judged."""
    found, every = [], replace(design, weights=None)
    for judge in table.judges:
        draws = table.draws(judge)
        if draws.shape[1] > 1:
            repeats = repeat_stability(draws, every, level="nominal" if table.options else "interval")
            found.append(Asked(judge=judge, repeats=repeats, points=not table.options))
    return tuple(found)


def panel_of(table: TaskTable) -> Panel | None:
    """What several judges are worth together, by their first words; None for one judge, or points."""
    if len(table.judges) < 2 or not table.options:
        return None
    said = np.column_stack([table.by(judge) for judge in table.judges])
    return panel_worth(said, table.truth, len(table.options))


def told_panel(panel: Panel, judges: Sequence[str]) -> str:
    """The worth of a jury in a sentence."""
    without = "; ".join(f"{judge} {_told_vote(vote)}" for judge, vote in zip(judges, panel.without, strict=True))
    worth = f"worth {panel.effective:.2f} independent ones" if panel.why is None else f"{panel.why}"
    return (
        f"Jury of {panel.judges}, n = {panel.items:,}: {worth}; majority {_told_vote(panel.majority)}. "
        f"Without each in turn: {without}."
    )


def _told_vote(vote: PanelVote) -> str:
    return f"{number(vote.accuracy, 'share')}, tied on {number(vote.tied, 'share')}"


def plain_panel(panel: Panel, judges: Sequence[str]) -> dict[str, object]:
    """The same for programs."""
    return {
        "judges": list(judges), "n": panel.items, "accuracies": [finite(v) for v in panel.accuracies],
        "error_correlation": finite(panel.rho), "effective": finite(panel.effective),
        "majority": finite(panel.majority.accuracy), "tied": finite(panel.majority.tied),
        "without": {j: finite(v.accuracy) for j, v in zip(judges, panel.without, strict=True)},
        "without_tied": {j: finite(v.tied) for j, v in zip(judges, panel.without, strict=True)}, "why": panel.why,
    }  # fmt: skip


def improved(table: TaskTable, design: Design) -> Improved | None:
    """One run, the mean of runs, the jury, and the jury put right for length, over things that all of them judged."""
    steps = _steps(table)
    both: Mask = np.isfinite(sum(steps.values(), table.truth))
    if not both.any():
        return None
    people, part = table.truth[both], design.part(both, "before and after")
    columns = {name: said[both] for name, said in steps.items()}
    bias, why = None, None
    if not table.options:
        lengths = np.array([row.words or 0 for row in table.rows], dtype=np.float64)[both]
        last, said = list(columns.items())[-1]
        try:
            corrected, bias = _put_right(said, people, lengths, part)
            columns[f"{last}, put right for length"] = corrected
        except InputError as error:
            why = str(error).rstrip(".")
    single = next(iter(columns.values()))
    stages = tuple(_stage(name, said, single, people, (table, part)) for name, said in columns.items())
    if len(stages) == 1 and why is None:
        return None
    return Improved(units=int(both.sum()), stages=stages, points=not table.options, bias=bias, why=why)


def _steps(table: TaskTable) -> dict[str, Floats]:
    """What is said by one run of the first judge, by all its runs, and by all judges."""
    first = table.judges[0]
    draws = table.draws(first)
    found = {f"one run of {first}": draws[:, 0]}
    if draws.shape[1] > 1:
        found[f"{counted(draws.shape[1], 'run')} of {first}"] = _together(draws, table)
    if len(table.judges) > 1:
        found[f"the jury of {len(table.judges)}"] = table.said
    return found


def _together(draws: Floats, table: TaskTable) -> Floats:
    if table.options:
        vote = majority_vote(draws, len(table.options))
        return np.where(vote == ABSTAIN, np.nan, vote)
    given = np.isfinite(draws)
    total = np.where(given, draws, 0.0).sum(1)
    return np.asarray(np.divide(total, given.sum(1), out=np.full(len(draws), np.nan), where=given.any(1)))


def _put_right(judge: Floats, people: Floats, lengths: Floats, design: Design) -> tuple[Floats, LengthBias]:
    """Points put right for length, in parts that share no cluster; and what length is worth in all of them.

    Raises:
        InputError: too few labels, or no lengths.
    """
    whole = length_bias(judge, people, lengths)
    names, cluster = np.unique(np.asarray(design.clusters), return_inverse=True)
    order = sorted(range(names.size), key=lambda n: design.seed.child("fold", str(names[n])).uniform())
    fold = np.empty(names.size, dtype=np.int64)
    fold[order] = np.arange(names.size) % _FOLDS
    corrected = np.empty(judge.size)
    for number_ in range(_FOLDS):
        held = fold[cluster] == number_
        others = length_bias(judge[~held], people[~held], lengths[~held])
        corrected[held] = others.corrected(judge[held], lengths[held])
    return corrected, whole


def _stage(name: str, said: Floats, single: Floats, people: Floats, where: tuple[TaskTable, Design]) -> Stage:
    table, design = where
    apart, before = said - people, single - people
    if table.options:
        together = pair_agreement(people, said, table.options, design).kappa
        apart, before = (apart != 0).astype(np.float64), (before != 0).astype(np.float64)
        left = share(apart, design, "errors").value
    else:
        together = pearson_correlation(people, said, design)
        left = float(np.cov(apart, aweights=design.counts(apart.size))) if apart.size > 1 else float("nan")
    reduced = _reduced(apart, before, design, words=bool(table.options))
    return Stage(name=name, together=together, apart=left, ratio=1 - reduced.value, reduced=reduced)


def _reduced(after: Floats, before: Floats, design: Design, *, words: bool) -> Measured:
    """What is gone of the variance, or of the errors, with its clustered interval."""
    columns = np.column_stack((np.ones(after.size), before, before**2, after, after**2))

    def gone(rows: Floats) -> Floats:
        total, one, ones, other, others = np.moveaxis(rows, -1, 0)
        if words:
            return np.asarray(1 - ratio(other, one))
        return np.asarray(1 - ratio(others - ratio(other**2, total), ones - ratio(one**2, total)))

    why = "the single run makes no error" if words else "the single run is nowhere off by another amount"
    return Sums.of(columns, design).measure(gone, "coefficient", why=why)
