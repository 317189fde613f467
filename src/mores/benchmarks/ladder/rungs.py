"""The rungs that a model stood on, from the ground up: what each norm got there, and the rung's headline beside it."""

from collections.abc import Mapping
from math import hypot, sqrt

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.controls import KEPT
from mores.analysis.judge_errors import KnownJudgeErrors
from mores.analysis.results import Result, Results
from mores.analysis.units import Subject, first_codes, means_by, subjects_of, units_of
from mores.benchmarks.ladder.scores import PEOPLE_KEPT, RUNGS, SEEN, RungRule, steps_judged
from mores.benchmarks.shapes.norm_scores import NORM
from mores.core.arrays import Codes, Floats, Mask
from mores.core.estimate import (
    CategoricalColumn,
    Estimate,
    MetricRows,
    Missing,
    caution_of,
    judge_band_of,
    shown,
)
from mores.models.verifier_facts import VerifierCalibration
from mores.stats.intervals import MIN_CLUSTERS, z_quantile
from mores.stats.judged_scores import Corner, RungScores
from mores.stats.partial_pooling import Pooling, pool_places
from mores.stats.rogan_gladen import FLAWLESS, JudgeErrors

FAMILY, BASELINE = "ladder/", "baseline/"
NO_GUESS = Missing(code="no_guess_at_open")
ORDER = tuple(RUNGS)


class Rung(Struct, frozen=True, kw_only=True):
    """One rung as it was run: its name, the share that guessing gets, and its evaluation."""

    name: str
    chance: float
    evaluation: Result

    @property
    def drawn(self) -> bool:
        """True where a baseline answers what a judge decides: to draw an outcome is no guess at an open answer."""
        return self.judged and self.evaluation.model.startswith(BASELINE)

    @property
    def judged(self) -> bool:
        """True where a judge had a part in its figures."""
        return bool(self.evaluation.judges)

    @property
    def people(self) -> Estimate | None:
        """Norms kept by people on the same questions; None where nobody was asked, or gave labels without reasons."""
        found = self.evaluation.overall(PEOPLE_KEPT)
        return None if found is None or found.value is None else found

    def above(self, share: float) -> float:
        """A share as (s - g)/(1 - g): 0 for guessing, 1 for all right, below 0 for worse than guessing."""
        return (share - self.chance) / (1 - self.chance)


class LadderRun(Struct, frozen=True, kw_only=True):
    """One model with its rungs from the ground up; `label` is its name, with its run where it did a rung twice."""

    label: str
    rungs: tuple[Rung, ...]

    @property
    def simulated(self) -> bool:
        """True where answers or judges were made up."""
        return any(rung.evaluation.simulated for rung in self.rungs)

    def skipped(self, before: str, after: str) -> tuple[str, ...]:
        """Rungs between two that were not run."""
        return ORDER[ORDER.index(before) + 1 : ORDER.index(after)]


class RungNormScores(Struct, frozen=True, kw_only=True):
    """Score of each norm on one rung, a row a norm; `missing` says why no claim may be made of them.

    `scenes` are what norms are made of where each has scenes with a label of their own, a row a scene; None elsewhere.
    `judge` is what is known of the errors of whoever judged them. `verdicts` counts of how many verdicts of a judge
    each norm's are made; NaN where nobody knows.
    """

    rung: Rung
    norms: MetricRows
    verdicts: Floats
    scenes: MetricRows | None = None
    judge: JudgeErrors = FLAWLESS
    missing: Missing | None = None

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges of the rung; nothing where nobody judged."""
        return tuple(self.rung.evaluation.judges.values())

    @property
    def by_scene(self) -> "RungNormScores":
        """The same with a row a scene where norms have scenes, so that each counts by its own label."""
        scenes = self.scenes
        return self if scenes is None else replace(self, norms=scenes, verdicts=np.ones(len(scenes)))

    def scores(self, rows: Mask | Codes) -> RungScores:
        """The scores of some norms; labels tell how a whole day is judged, a stated range how each step is."""
        verdicts = self.verdicts[rows]
        return RungScores(
            passed=self.norms.value[rows],
            seen=self.norms.extra[SEEN][rows],
            verdicts=np.ones_like(verdicts) if self.judge.sensitivity.labels else verdicts,
            judge=self.judge,
            least=RUNGS[self.rung.name].lowest,
        )


def ladder_runs(results: Results) -> tuple[LadderRun, ...]:
    """Each model that stood on at least two rungs, in one run or in several of which each brings other rungs."""
    names = {FAMILY + name: name for name in ORDER}
    return tuple(
        LadderRun(
            label=subject.name, rungs=tuple(_rung(name, subject) for name in ORDER if name in subject.evaluations)
        )
        for subject in subjects_of(results, lambda each: names.get(each.benchmark))
        if len(subject.evaluations) > 1
    )


def _rung(name: str, subject: Subject) -> Rung:
    evaluation = subject.evaluations[name]
    return Rung(name=name, chance=evaluation.chance or 0.0, evaluation=evaluation)


def rung_norm_scores(rung: Rung, judges: KnownJudgeErrors | None = None) -> RungNormScores:
    """Scores of norms on one rung, with its judges' error: by labels, else by the stated range."""
    found, known = rung.evaluation, judges or KnownJudgeErrors()
    measured = measured_of(found, RUNGS[rung.name])
    rows = found.scores[KEPT]
    scenes = None if rows.gold is None else rows
    norms = rows if scenes is None else by_norm(scenes)
    verdicts = np.ones(len(norms))
    if RUNGS[rung.name].by_steps:
        steps = steps_judged(found.stored.votes())
        verdicts = np.array([steps.get(norm, np.nan) for norm in norms.keys.unit.texts()], dtype=np.float64)
    whole, graded = found.overall(), np.isfinite(found.scores[found.headline].value).any()
    nothing = whole is None or whole.value is None or not graded
    return RungNormScores(
        rung=rung,
        norms=norms,
        verdicts=verdicts,
        scenes=scenes,
        judge=known.of(found.folder, measured) if rung.judged else FLAWLESS,
        missing=NO_GUESS if rung.drawn else Missing(code="rung_not_graded", told=rung.name) if nothing else None,
    )


def by_norm(scenes: MetricRows) -> MetricRows:
    """The mean of each norm's scenes, a row a norm."""
    norms = units_of(scenes)
    first, of = first_codes(scenes.keys.unit.codes)
    extra = {name: means_by(of, values, len(first)) for name, values in scenes.extra.items()}
    return MetricRows(keys=norms.keys, value=norms.value, least=norms.least, most=norms.most, extra=extra)


def measured_of(found: Result, rule: RungRule) -> VerifierCalibration | None:
    """Measured errors of the verifier that judged a rung, where they are about what the rung asks of it."""
    return found.calibration if rule.task == NORM else None


def corrected(estimate: Estimate, rung: Rung) -> Estimate:
    """A figure of a rung above what guessing gets there; what has no interval has none above guessing."""
    known = {name: getattr(estimate, name) for name in ("value", "low", "high", "worst", "best")}
    above = replace(estimate, **{name: None if value is None else rung.above(value) for name, value in known.items()})
    band = judge_band_of(estimate)
    if band is None:
        return above
    band = replace(band, low=rung.above(band.low), high=rung.above(band.high))
    return shown(above, caution=caution_of(estimate), judge=band)


def above_guessing(figure: Estimate | None, zero: float | None = None) -> bool:
    """True where a corrected figure lies above its zero, its interval too; without a figure nothing speaks against it.

    The zero is that of guessing, or of mere politeness where a judge decides; 0 where it is not known.
    """
    if figure is None or figure.value is None:
        return True
    return (figure.value if figure.low is None else figure.low) > (zero or 0.0)


def too_few_norms(norms: int) -> Missing:
    """Reason that so few norms have no interval and bear no claim."""
    return Missing(code="too_few_norms", n=norms, needed=MIN_CLUSTERS)


PooledPlaces = Mapping[str, Estimate]
"""The figure of each place, by its id."""
METHOD = "places read together"
SAYS = (
    "Pooled, under a place: its norms read together with those of all other places. Few norms say little about one "
    "place, so its mean is drawn towards its region and its domains, by as much as chance may have moved it; each norm "
    "counts alike. The interval holds the truth of 95 of 100 places and not of every single one: a place far from all "
    "others is drawn too near to them. No claim rests on it."
)


def pooled_places(norm_scores: RungNormScores) -> PooledPlaces:
    """The figure of each place that has graded norms, by its id; nothing where places are too few to be read together.

    Norms without a place are left out. Regions and domains are taken where each norm has one.
    """
    keys = norm_scores.norms.keys
    place = np.array(keys.place.texts(), dtype=np.str_)
    known = np.isfinite(norm_scores.norms.value) & np.isfinite(norm_scores.verdicts) & (place != "")
    if not known.any():
        return {}
    scores = norm_scores.scores(known)
    groups = {kind: _whole(keys.groups.get(kind), known) for kind in ("region", "domain")}
    clusters = keys.cluster.take(known).texts()
    if scores.unbounded:
        return {}
    centre = scores.possible
    least, most = scores.reach(*centre)
    # Pooling takes shares from 0 to 1: a judge's errors may put a score beyond what can be reached.
    kept = np.clip((scores.by(*centre) - least) / (most - least), 0, 1)
    pooling = pool_places(kept, place[known], clusters=clusters, regions=groups["region"], domains=groups["domain"])
    asked = dict(zip(*np.unique(place, return_counts=True), strict=True))
    return {
        name: Estimate(
            metric="kept", group={"place": name}, value=value, low=low, high=high, asked=int(asked[name]), graded=units,
            method=METHOD,
        )
        for name, (value, low, high, units) in _on_rung_scale(scores, centre, pooling).items()
    }  # fmt: skip


def _whole(column: CategoricalColumn | None, known: Mask) -> list[str] | None:
    """Groups that norms belong to, where each belongs to one."""
    texts = [] if column is None else column.take(known).texts()
    return [text for text in texts if text] if texts and all(texts) else None


def _on_rung_scale(scores: RungScores, corner: Corner, pooling: Pooling) -> dict[str, tuple[float, float, float, int]]:
    """Each place's mean, ends and norms on the rung's own scale, were these the judge's rates; labels' errors join."""
    least, most = scores.reach(*corner)
    error = z_quantile(0.95) * sqrt(scores.wobble(corner))
    found = {}
    for each in pooling.places:
        mean, low, high = (least + (most - least) * end for end in (each.value, each.low, each.high))
        ends = (mean, mean - hypot(mean - low, error), mean + hypot(high - mean, error))
        mean, low, high = (min(max(end, scores.least), scores.most) for end in ends)
        found[each.place] = (mean, low, high, each.units)
    return found
