"""People's labels as a calibration reads them: what people decided, and which things calibrate and which are held out.

A split is frozen before anybody labels (the sample's), or drawn here by whole clusters, so that no episode is on both
sides. Things on which people tie have no right judgement and are left out, counted.

What a certificate decides is every thing of a run, so that a label of one thing an episode has to count as many times
as its episode has things: a judge that errs in long episodes is otherwise certified by the short ones. Of independent
labels each is kept with a chance that goes with the length of its episode, the longest surely; those kept are things
drawn at random from all things, and every test for independent things holds for them, exactly. (Betting on weighted
losses, or Hoeffding and Bentkus on them, certifies less often at every design that was tried.)
"""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.annotation.label_tables import TaskTable
from mores.calibration.certificate import CalibrationPopulation, Promised
from mores.calibration.draws import Rows
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.conformal.draws import Draws, LabelledDraws, keep_by_weight, one_each
from mores.stats.conformal.risk_tests import units_for
from mores.stats.rng import generator
from mores.stats.selective import Majority

CALIBRATION, TEST = "calibration", "test"


class Splitting(Struct, frozen=True, kw_only=True):
    """Split of labelled things where no sample froze it; `one_each` keeps one thing of every cluster.

    `promise` says what is promised: of a thing among all things, or of one thing drawn from an episode.
    """

    held_out: float | None = None
    one_each: bool = False
    promise: Promised = "thing"


class CalibrationLabels(Struct, frozen=True, kw_only=True, dict=True):
    """Labels of people for each thing, by rows of the table: those that calibrate and those held out.

    `split` says in words how the two were told apart. `aside` are those that were not kept, so that things of episodes
    of any length are as likely; `longest` is the most things of one model in an episode.
    """

    table: TaskTable
    calibration: Rows
    held: Rows
    left_out: int
    split: str
    promise: Promised = "thing"
    aside: int = 0
    longest: int = 1

    @cached_property
    def unlabelled(self) -> Rows:
        """Things without a label, of other clusters than those that calibrate: what settings may be chosen on."""
        difference = ~np.isin(self.table.clusters, self.table.clusters[self.calibration])
        return np.flatnonzero(difference & ~self.table.labelled)

    def words(self, rows: Rows) -> list[str]:
        """Labels of people for some things."""
        return [self.table.options[int(code)] for code in self.table.truth[rows]]

    def wrong(self, found: Majority, rows: Rows) -> npt.NDArray[np.bool_]:
        """Mask of the decisions on some things that differ from people's; one that could not be read is wrong."""
        return np.not_equal(found.decision[rows], self.table.truth[rows])

    def clusters(self, rows: Rows) -> int:
        """Number of clusters of some things."""
        return int(np.unique(self.table.clusters[rows]).size)

    def labelled(self, draws: Draws, rows: Rows) -> LabelledDraws:
        """Draws on some things beside what people decided; things that share a cluster are told as such."""
        return LabelledDraws.of(draws, self.words(rows), self.table.clusters[rows])

    def population(self, rows: Rows) -> CalibrationPopulation:
        """Population that some of the things speak of."""
        places = Counter(self.table.places[rows].tolist())
        given = np.isfinite(self.table.labels[rows])
        return CalibrationPopulation(
            models=tuple(sorted(set(self.table.models[rows].tolist()))),
            places=dict(sorted(places.items())),
            people=int(given.any(0).sum()),
            items=rows.size,
            clusters=self.clusters(rows),
            left_out=self.left_out,
            longest=self.longest,
        )

    @property
    def meant(self) -> str:
        """Of what is promised, in a sentence."""
        if self.promise == "episode":
            return "An item is one thing drawn at random from a new episode, not from all things of all episodes."
        longest = f" of at most {self.longest} things" if self.longest > 1 else ""
        return f"An item is a thing drawn at random from all things of new episodes{longest}."

    def check(self, risks: Sequence[float], delta: float, name: str) -> None:
        """Nothing, if the things that calibrate could certify the largest level, and people use more than one word.

        Raises:
            InputError: they could not, whatever the judge said.
        """
        units, least = self.clusters(self.calibration), units_for(max(risks), delta)
        if units < least:
            kept = f" ({self.aside} more were set aside, to weigh episodes by their things)" if self.aside else ""
            episodes = ", or promise episodes: --promise episode" if self.aside else ""
            raise InputError(
                f"{name}: {units} independent labelled things calibrate{kept}; expected at least {least}, without "
                f"which not even {max(risks):g} can be certified. Label more: mores judge sample{episodes}."
            )
        words = sorted(set(self.words(self.calibration)))
        if len(words) == 1:
            raise InputError(
                f"{name}: people say '{words[0]}' of all {self.calibration.size} things that calibrate; "
                "expected labels of two classes, as a judge that always says the same would pass."
            )


def split_truths(table: TaskTable, how: Splitting, *, seed: Seed) -> CalibrationLabels:
    """The labelled things of a table, split.

    Raises:
        InputError: nothing is labelled, the sample has no split for calibration, or a share makes no sense.
    """
    decided = np.flatnonzero(np.isfinite(table.truth))
    if not decided.size:
        raise InputError(f"{table.name}: people decided nothing in it; expected labels of this task in --labels.")
    frozen = bool((table.splits[decided] != "").any())
    calibration, held, text = _frozen(table, decided, how) if frozen else _drawn(table, decided, how, seed)
    aside = 0
    # strata by verdict make things of one episode unequally likely, so that even a promise of episodes needs it
    if how.promise == "thing" or _by_verdict(table):
        kept = _kept(table, decided, how.promise, seed)
        aside = int((~kept[calibration]).sum() + (~kept[held]).sum())
        calibration, held = calibration[kept[calibration]], held[kept[held]]
        what = "verdicts by how often they are given" if _by_verdict(table) else "episodes by their things"
        text = f"{text}; {aside} of {decided.size} set aside, to weigh {what}" if aside else text
    if how.one_each:
        calibration, held = (_one_each(table, rows, seed) for rows in (calibration, held))
        text = f"{text}; one thing of each cluster"
    return CalibrationLabels(
        table=table,
        calibration=calibration,
        held=held,
        left_out=int(table.labelled.sum()) - decided.size,
        split=text,
        promise=how.promise,
        aside=aside,
        longest=int(Counter((row.evaluation.model, row.cluster) for row in table.rows).most_common(1)[0][1]),
    )


def _by_verdict(table: TaskTable) -> bool:
    """True if things of some verdicts were likelier to be labelled than others of their episode."""
    return table.sample is not None and "verdict" in table.sample.wanted.stratify


def _kept(table: TaskTable, decided: Rows, promise: Promised, seed: Seed) -> npt.NDArray[np.bool_]:
    """Mask of the rows kept: those of a cluster by how many things its labels stand for, over the most there can be."""
    names, cluster, size = np.unique(table.clusters, return_inverse=True, return_counts=True)
    worth, stand = np.zeros(names.size), _stand_for(table, decided, cluster, size)
    if promise == "episode":
        # of episodes each counts once, however many things it has
        stand, size = stand / size[cluster[decided]], np.ones_like(size)
    np.add.at(worth, cluster[decided], stand)
    given = worth > 0
    each = worth[given] / size[given]
    alike = bool(np.ptp(each) <= 1e-9 * float(each.max()))
    most = float(each[0] * size.max()) if alike else float(worth.max())  # of all episodes, also those without a label
    # by the name of each cluster, so that further labels change no draw of another cluster
    lots = np.array([seed.child("standing", table.name, str(name)).uniform() for name in names.tolist()])
    return np.asarray(keep_by_weight(worth, most, lots)[cluster])


def _stand_for(table: TaskTable, decided: Rows, cluster: Rows, size: Rows) -> Floats:
    """Number of things that each labelled one stands for: by its chance to be drawn, or an even part of its episode."""
    if table.chances is not None and np.isfinite(table.chances[decided]).all():
        return np.asarray(1 / table.chances[decided])
    own = cluster[decided]
    return np.asarray(size[own] / np.bincount(own)[own])


def _frozen(table: TaskTable, decided: Rows, how: Splitting) -> tuple[Rows, Rows, str]:
    if how.held_out is not None:
        raise InputError("--held-out: the sample's splits were frozen before it was labelled; leave the flag out.")
    names = table.splits[decided]
    calibration, held = decided[names == CALIBRATION], decided[names == TEST]
    if not calibration.size:
        listed = ", ".join(sorted(set(names.tolist()) - {""}))
        raise InputError(f"{table.name}: labelled things are of the splits {listed}; expected some of '{CALIBRATION}'.")
    return calibration, held, "as the sample froze it"


def _drawn(table: TaskTable, decided: Rows, how: Splitting, seed: Seed) -> tuple[Rows, Rows, str]:
    share = how.held_out
    if share is None:
        return decided, decided[:0], "nothing held out"
    if not 0 < share < 1:
        raise InputError(f"--held-out {share:g}: expected a share between 0 and 1, such as .5.")
    names = np.unique(table.clusters[decided])
    order = generator(seed.child("held out", table.name)).permutation(names.size)
    out = np.isin(table.clusters[decided], names[order[: round(share * names.size)]])
    return decided[~out], decided[out], f"{share:.0%} of the clusters held out by the seed"


def _one_each(table: TaskTable, rows: Rows, seed: Seed) -> Rows:
    chosen: Rows = rows[one_each(table.clusters[rows], seed.child("one each", table.name))] if rows.size else rows
    return chosen
