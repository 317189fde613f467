"""Anchors of rungs: the same items after the norm was told, and what is left of a drop for who knows it on both rungs.

plain rungs and the same under the control `told` ─▶ norms graded in all of them ─▶ what telling adds on each rung ─▶
of each drop the part that telling takes away, and the part that stays: harder items, or the skill that they ask for.
Only all norms together are looked at. The gains of one model are a family of tests, and so are its drops.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isnan, nan

import numpy as np
from msgspec import Struct, structs
from msgspec.structs import replace

from mores.analysis.contrast import Contrast, known
from mores.analysis.controls import KEPT
from mores.analysis.groups import WHOLE
from mores.analysis.results import Result, Results, caution_of_several
from mores.benchmarks.ladder.contrasts import LEVEL, NormScenes, norms_kept
from mores.benchmarks.ladder.rungs import LadderRun, Rung, RungNormScores, ladder_runs, rung_norm_scores, too_few_norms
from mores.core.arrays import Codes, Mask
from mores.core.estimate import CategoricalColumn, Caution, Estimate, Missing, together
from mores.core.seeds import Seed
from mores.stats.anchors import ToldScores, anchored_fall, told_gain
from mores.stats.intervals import MIN_CLUSTERS, too_few
from mores.stats.judged_scores import JudgedContrast, NormDesign, contrast
from mores.stats.ranks import holm

RNG_SEED = Seed("anchors")


class ToldRung(Struct, frozen=True, kw_only=True):
    """One rung as it was run and with the norm told: both figures, and what telling adds (told less plain).

    `p_holm` is corrected over the rungs of the model.
    """

    rung: Rung
    other: Result
    plain: Estimate | None
    told: Estimate | None
    gain: JudgedContrast
    p_holm: float | None = None

    @property
    def caution(self) -> Caution | None:
        """What has to be known of the answers on either side."""
        return caution_of_several([self.rung.evaluation, self.other], KEPT, {})


class AnchoredDrop(Struct, frozen=True, kw_only=True):
    """A drop over the norms that four evaluations graded: plain, told, and the part that telling takes away.

    `p_holm` is that of this part, corrected over the drops of the model.
    """

    before: ToldRung
    after: ToldRung
    plain: JudgedContrast
    told: JudgedContrast
    taken: JudgedContrast
    p_holm: float | None = None

    @property
    def names(self) -> tuple[str, str]:
        """The two rungs."""
        return self.before.rung.name, self.after.rung.name

    @property
    def found(self) -> bool:
        """True where telling takes something of it away, and chance is no explanation, after correction."""
        size = self.taken.size if self.taken.size is not None else self.taken.least
        return self.p_holm is not None and self.p_holm < LEVEL and size is not None and size > 0

    @property
    def stays(self) -> bool:
        """True where a drop is left that chance does not explain, were it looked at by itself."""
        return self.told.p is not None and self.told.p < LEVEL and self.told.least is not None and self.told.least > 0


class AnchoredLadder(Struct, frozen=True, kw_only=True):
    """One model on the rungs that it was also told the norms of, from the ground up."""

    run: LadderRun
    rungs: tuple[ToldRung, ...]
    drops: tuple[AnchoredDrop, ...]


def anchored_ladders(results: Results) -> tuple[AnchoredLadder, ...]:
    """Each model that stood on at least two rungs and was told the norms on one of them."""
    found = (_anchored(run, results) for run in ladder_runs(results))
    return tuple(each for each in found if each is not None)


class _Side(Struct, frozen=True, kw_only=True):
    """Scores of norms on one rung, plain and told."""

    rung: Rung
    other: Result
    plain: RungNormScores
    told: RungNormScores

    @property
    def both(self) -> tuple[RungNormScores, RungNormScores]:
        """Plain, then told."""
        return self.plain, self.told

    def scores(self, names: Sequence[str]) -> ToldScores:
        """The scores of some norms in both, in their order; told answers are judged by the same judge."""
        plain, told = (each.scores(_rows(each, names)) for each in self.both)
        return ToldScores(plain=plain, told=structs.replace(told, judge=plain.judge))

    @property
    def missing(self) -> Missing | None:
        """Reason that nothing can be said of the rung."""
        return self.plain.missing or self.told.missing


def _anchored(run: LadderRun, results: Results) -> AnchoredLadder | None:
    sides = [side for rung in run.rungs if (side := _side(rung, results)) is not None]
    if not sides:
        return None
    rungs = _corrected_rungs([_told_rung(side) for side in sides])
    of = dict(zip((side.rung.name for side in sides), zip(sides, rungs, strict=True), strict=True))
    # Neighbours of the ladder as it was run: a rung that was not told in between would hide one.
    pairs = [(of[a.name], of[b.name]) for a, b in pairwise(run.rungs) if a.name in of and b.name in of]
    drops = _corrected_drops([_drop(one, other) for one, other in pairs])
    return AnchoredLadder(run=run, rungs=tuple(rungs), drops=tuple(drops))


def _side(rung: Rung, results: Results) -> _Side | None:
    others = (each for each in results.variants_of(rung.evaluation) if each.variant.control == "told")
    other = next((each for each in others if KEPT in each.scores), None)
    if other is None or KEPT not in rung.evaluation.scores:
        return None
    plain, told = (
        rung_norm_scores(replace(rung, evaluation=each), results.judges) for each in (rung.evaluation, other)
    )
    return _Side(rung=rung, other=other, plain=plain, told=replace(told, judge=plain.judge))


def _told_rung(side: _Side) -> ToldRung:
    names = _common(side.both)
    keys = side.plain.norms.keys.take(_rows(side.plain, names))
    design = _design([keys.cluster.texts()], keys.place)
    scores, design = _weighed([side], [side.scores(names)], design, names)
    missing = side.missing or _unsure(scores[0], design)
    gain = told_gain(scores[0], design, seed=RNG_SEED.child(side.rung.name), missing=missing)
    plain, told = (
        evaluation.marked(figure) if (figure := norms_kept(each, (WHOLE,))[0]) is not None else None
        for each, evaluation in zip(side.both, (side.rung.evaluation, side.other), strict=True)
    )
    return ToldRung(rung=side.rung, other=side.other, plain=plain, told=told, gain=_honest(gain, scores))


def _drop(before: tuple[_Side, ToldRung], after: tuple[_Side, ToldRung]) -> AnchoredDrop:
    sides = [before[0], after[0]]
    names = _common([each for side in sides for each in side.both])
    rows = [_rows(side.plain, names) for side in sides]
    clusters = [side.plain.norms.keys.cluster.take(of).texts() for side, of in zip(sides, rows, strict=True)]
    design = _design(clusters, sides[0].plain.norms.keys.place.take(rows[0]))
    scores, design = _weighed(sides, [side.scores(names) for side in sides], design, names)
    one, other = scores
    missing = next((side.missing for side in sides if side.missing is not None), None)
    missing = missing or next((why for each in scores if (why := _unsure(each, design)) is not None), None)
    seed = RNG_SEED.child(*(side.rung.name for side in sides))
    plain = contrast(one.plain, other.plain, design, seed=seed.child("plain"), missing=missing)
    told = contrast(one.told, other.told, design, seed=seed.child("told"), missing=missing)
    taken = anchored_fall(one, other, design, seed=seed.child("taken"), missing=missing)
    plain, told, taken = (_honest(each, scores) for each in (plain, told, taken))
    return AnchoredDrop(before=before[1], after=after[1], plain=plain, told=told, taken=taken)


def _common(several: Sequence[RungNormScores]) -> list[str]:
    """Norms that all have, in the order of the first."""
    first, *others = ([*each.norms.keys.unit.texts()] for each in several)
    shared = set(first).intersection(*others)
    return [name for name in first if name in shared]


def _rows(scores: RungNormScores, names: Sequence[str]) -> Codes:
    row = {name: at for at, name in enumerate(scores.norms.keys.unit.texts())}
    return np.array([row[name] for name in names], dtype=np.int64)


def _design(clusters: Sequence[Sequence[str]], place: CategoricalColumn) -> NormDesign:
    """Norms that any rung draws together are one cluster; places are strata."""
    drawn = together(list(zip(*clusters, strict=True))).tolist()
    return NormDesign(CategoricalColumn.sorted(drawn).codes, place.in_order().codes)


def _weighed(
    sides: Sequence[_Side], scores: Sequence[ToldScores], design: NormDesign, names: Sequence[str]
) -> tuple[list[ToldScores], NormDesign]:
    """Norms graded in all; where they have scenes, they count by these, so that each label counts alike."""
    graded: Mask = np.logical_and.reduce([each.graded for each in scores])
    found, weights = [], None
    for side, each in zip(sides, scores, strict=True):
        own = each.at(graded)
        scenes = [NormScenes.of(side_scores, side_scores, names) for side_scores in side.both]
        if scenes[0] is not None and scenes[1] is not None and graded.any():
            (plain, weights), (told, _) = (scene.balanced(graded) for scene in scenes if scene is not None)
            own = ToldScores(
                plain=structs.replace(own.plain, passed=plain), told=structs.replace(own.told, passed=told)
            )
        found.append(own)
    return found, design.at(graded)._replace(weights=weights)


def _unsure(scores: ToldScores, design: NormDesign) -> Missing | None:
    """Reason that no claim is made."""
    norms, clusters = design.clusters.size, np.unique(design.clusters).size
    if norms == 0:
        return Missing(code="no_common_norm")
    if norms < MIN_CLUSTERS:
        return too_few_norms(norms)
    if clusters < MIN_CLUSTERS:
        return too_few(clusters).missing
    hopeless = scores.plain.judged and scores.plain.judge.hopeless
    return Missing(code="hopeless_judge") if hopeless else None


def _honest(found: JudgedContrast, scores: Sequence[ToldScores]) -> JudgedContrast:
    """A difference without a point where a rung has none."""
    if not any(each.unbounded for each in scores):
        return found
    return structs.replace(found, ends=None, size=None, low=None, high=None)


def _holm(p: Sequence[float | None]) -> Iterator[float | None]:
    held = holm([nan if each is None else each for each in p]).tolist()
    return (None if isnan(each) else each for each in held)


def _corrected_rungs(rungs: Sequence[ToldRung]) -> list[ToldRung]:
    held = _holm([each.gain.p for each in rungs])
    return [replace(each, p_holm=p) for each, p in zip(rungs, held, strict=True)]


def _corrected_drops(drops: Sequence[AnchoredDrop]) -> list[AnchoredDrop]:
    held = _holm([each.taken.p for each in drops])
    return [replace(each, p_holm=p) for each, p in zip(drops, held, strict=True)]


def as_contrast(found: JudgedContrast, p_holm: float | None, family: int, caution: Caution | None) -> Contrast:
    """A difference as any other is known: the first of its ends less the second."""
    first, second = found.ends or (None, None)
    return Contrast(
        metric=KEPT, a=second, b=first, difference=None if found.size is None else known(found.size), low=found.low,
        high=found.high, p=found.p, p_adjusted=p_holm, family=family, units=found.units, clusters=found.clusters,
        test=found.test, method=found.method, missing=found.missing, caution=caution,
    )  # fmt: skip
