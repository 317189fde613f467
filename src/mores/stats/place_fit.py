"""Fit of the items of a place to the scale of all others: do better models do better there as well, as elsewhere?

points of models on items ─▶ how able each model is ─▶ for each item, how many models get it, and how much abler these
are than as many others ─▶ the slope of a place beside that of all others, and the items that do not go with ability.

Place means are compared as if the items of all places asked for one thing. If they do, items that as many models get
tell good models from weak ones equally well, wherever they lie. Whether items are harder at a place is no matter here:
each is held against items that as many models get, so that difficulty drops out, by conditioning as in the Rasch model.
A *slope* of 1 says that a place tells models apart as other places do, 0 not at all (as where keys are wrong or answers
are guessed), below 0 the wrong way round.

Places that are found to differ are taken out of what the others are held against, and all is done again.

What it cannot know: whether all items of all places are off in one way, and what other models would do. With models
that are alike, or few, hardly any item could be seen not to fit; `seen` says how many would be.

By simulation (20 places of 12 to 30 items, harder or easier by .7 on the scale of log odds): any place is held to be
off in .01 to .03 of the draws where none is, models that copy from each other included, and slopes cover in .96 to .99.
A place whose items are all guessed is found in .90 of the draws with 24 items and 10 models, in .60 with 16, and in .76
with 12 items and 20 models. Of single items that are guessed, 10 models show .38 and 20 show .54.

Sources:
    Rasch (1960), Probabilistic Models for Some Intelligence and Attainment Tests (difficulty drops out); Andersen
    (1973), Psychometrika 38 (parts of a test held against each other so); Holland and Wainer (1993), Differential Item
    Functioning, ch. 3 (matching, and taking out what was found).
"""

from collections.abc import Callable
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Codes, Floats, Integers, Mask
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.checks import confident, ranks, same_length, sums_by
from mores.stats.crossed_effects import MIN_FAMILIES
from mores.stats.intervals import MIN_CLUSTERS, t_quantile, too_few, z_quantile
from mores.stats.items import ENOUGH
from mores.stats.ranks import holm

LEVEL = 0.05
"""Level at which a single item is held not to fit, so that one in twenty of those that fit does as well."""
RIGHT = 0.5
"""Share of its points from which an item counts as right."""
_ROUNDS = 5  # in which places that are found to differ are taken out of what others are held against
_STEPS, _NEAR = 200, 1e-6  # of the abilities
_ENOUGH_TO_BEND, _LEAST_FACTOR = 60, 0.1
_GRID = 2000  # steps that sums of abilities are counted in


class PlaceFit(NamedTuple):
    """One place: its items, those that some models get and some do not, and the clusters of these.

    `slope` is that of the place over that of all others, with its interval and the p of its being 1, `p_adjusted` after
    Holm's correction over places; None with the reason where it cannot be told. `misfits` counts the items that do
    not go with ability, of `informative`, None where single items are not tested.
    """

    place: str
    items: int
    informative: int
    clusters: int
    slope: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    misfits: int | None
    missing: Missing | None

    @property
    def found(self) -> bool:
        """True where it is claimed to tell models apart otherwise than other places do."""
        return self.p_adjusted is not None and self.p_adjusted < LEVEL


class ScaleFit(Struct, frozen=True, kw_only=True, eq=False):
    """Places in the order of their names, and of each item the one-sided p of its going with ability, NaN untested.

    `seen` is the chance that an item which ability has no bearing on is held not to fit, the mean over items tested;
    None where none is. `missing` says why nothing can be told at all.
    """

    places: tuple[PlaceFit, ...]
    p: Floats
    seen: float | None
    models: int
    families: int
    missing: Missing | None = None

    @property
    def tested(self) -> int:
        """Items tested by themselves."""
        return int(np.isfinite(self.p).sum())

    @property
    def misfits(self) -> int:
        """Those of them that do not fit, one in twenty by chance."""
        return int((np.nan_to_num(self.p, nan=1.0) < LEVEL).sum())


def place_fit(
    points: npt.ArrayLike,
    places: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    families: npt.ArrayLike | None = None,
    confidence: float = 0.95,
) -> ScaleFit:
    """The fit of each place's items to the scale of all other places.

    Items that some model has no grade on are left out. Items are drawn by cluster; models are those who are tested, and
    however they go together the slopes of places hold. Where single items are tested, models of a family answer as one.

    Args:
        points: Shape (models, items), from 0 to 1; from .5 on an item counts as right.
        places: The place of each item; items without one (empty) belong to the others of every place.
        clusters: What was drawn together; each item by itself where it is not said.
        families: The family of each model, in any labels; each its own where it is not said.
        confidence: Wanted coverage of slopes.

    Returns:
        A slope for each place with 8 clusters of items that tell models apart, and as many elsewhere; none with fewer
        than 8 models of 5 families, or where all models are alike.

    Raises:
        InputError: not a table, or lengths differ.
    """
    confident(confidence)
    x = np.asarray(points, dtype=np.float64)
    if x.ndim != 2:
        raise InputError(f"points has {x.ndim} dimensions; expected a table of models by items.")
    names, place = np.unique(np.asarray(places, dtype=np.str_), return_inverse=True)
    same_length(place, x[:1].ravel() if len(x) else np.empty(0), "places and items")
    of = np.arange(x.shape[1]) if clusters is None else ranks(np.asarray(clusters))
    family = np.arange(len(x)) if families is None else ranks(np.asarray(families))
    models, independent = len(x), len(np.unique(family))
    nothing = np.full(x.shape[1], np.nan)
    if models < ENOUGH or independent < MIN_FAMILIES:
        few = Missing(code="too_few_models", n=models, needed=ENOUGH)
        missing = few if models < ENOUGH else Missing(code="too_few_families", n=independent, needed=MIN_FAMILIES)
        return ScaleFit(places=(), p=nothing, seen=None, models=models, families=independent, missing=missing)
    answers = _Answers.of(x >= RIGHT, np.asarray(np.isfinite(x).all(0)), of)
    clean, found = answers.informative, [_SlopeEstimate(missing=too_few(0).missing)] * names.size
    for _ in range(_ROUNDS if clean.any() else 0):
        law = _Law.of(answers, clean)
        found = _slopes(answers, law, place, clean, confidence)
        off = [code for code, each in enumerate(found) if each.p_adjusted is not None and each.p_adjusted < LEVEL]
        again = answers.informative & ~np.isin(place, off)
        if np.array_equal(again, clean) or len(np.unique(of[again])) < MIN_CLUSTERS:
            break
        clean = again
    alone = answers if independent == models else _Answers.of(_by_family(x, family), answers.whole, of)
    p, seen = _item_fits(alone, clean)
    rows = (_row(str(name), answers, place == code, found[code], p) for code, name in enumerate(names.tolist()) if name)
    return ScaleFit(places=tuple(rows), p=p, seen=seen, models=models, families=independent)


def _by_family(x: Floats, family: Integers) -> Mask:
    """Answers of families, each right where the mean of its models is."""
    sums = np.stack([sums_by(family, column) for column in np.nan_to_num(x).T], axis=1)
    return np.asarray(sums / np.bincount(family)[:, None] >= RIGHT)


class _Answers(NamedTuple):
    """Answers, items that all models have, those of them that tell models apart, clusters, and how many are right."""

    right: Mask
    whole: Mask
    informative: Mask
    cluster: Codes
    many: Integers

    @classmethod
    def of(cls, right: Mask, whole: Mask, cluster: Codes) -> "_Answers":
        many = right.sum(0)
        return cls(right, whole, whole & (many > 0) & (many < len(right)), cluster, many)


class _Law(NamedTuple):
    """Lead of each item (the summed ability of the models that get it), what it should be, and the variance of that."""

    lead: Floats
    wanted: Floats
    variance: Floats

    @classmethod
    def of(cls, answers: _Answers, clean: Mask) -> "_Law":
        """By the Rasch model as it fits the clean items, given how many models are right."""
        ability, many = _ability(answers.right[:, clean]), answers.many
        mean, variance = _moments(ability)
        lead, n = ability @ answers.right, len(answers.right)
        wanted = mean[many] * _bent(lead[clean], mean[many[clean]], many[clean] / n)(many / n)
        return cls(np.asarray(lead), np.asarray(wanted), variance[many])


def _bent(lead: Floats, mean: Floats, share: Floats) -> Callable[[Floats], Floats]:
    """Factor of what an item should lead by, by the share of models that get it: a parabola, as the model is but one.

    Places differ in how hard they are, and must not seem to differ in more where models copy from each other.
    """
    if lead.size < _ENOUGH_TO_BEND or not np.any(mean):
        return np.ones_like
    steps = np.stack([mean * share**power for power in range(3)], axis=1)
    factors = np.linalg.lstsq(steps, lead, rcond=1e-6)[0]
    return lambda at: np.asarray(np.maximum(factors @ np.stack([at**power for power in range(3)]), _LEAST_FACTOR))


def _ability(right: Mask) -> Floats:
    """Ability of each model by conditional maximum likelihood, on the scale of log odds; their mean is 0."""
    wins, count = right.sum(1).astype(np.float64), np.bincount(right.sum(0), minlength=len(right) + 1)
    wins = np.clip(wins, 0.5, right.shape[1] - 0.5)
    ability = special.logit(wins / right.shape[1])
    for _ in range(_STEPS):
        ability = ability - ability.mean()
        step = np.log(wins / np.maximum(_chances(ability) @ count, 1e-9))
        ability = ability + np.clip(step, -1, 1)
        if np.abs(step).max() < _NEAR:
            break
    return np.asarray(ability - ability.mean())


def _chances(ability: Floats) -> Floats:
    """The chance that each model is right, given how many are, shape (models, models + 1)."""
    n, odds = ability.size, np.exp(ability)
    others = np.zeros((n, n + 1))
    others[:, 0] = 1.0
    for model, own in enumerate(odds):
        longer = others.copy()
        longer[:, 1:] += own * others[:, :-1]
        longer[model] = others[model]
        others = longer
    chance = np.zeros_like(others)
    chance[:, 1:] = odds[:, None] * others[:, :-1]
    return np.asarray(chance / (chance + others))


def _moments(ability: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the summed ability of the models that are right, given how many are."""
    ways, first, second = (np.zeros(ability.size + 1) for _ in range(3))
    ways[0] = 1.0
    for own, odds in zip(ability, np.exp(ability), strict=True):
        before = [each[:-1].copy() for each in (ways, first, second)]
        ways[1:] += odds * before[0]
        first[1:] += odds * (before[1] + own * before[0])
        second[1:] += odds * (before[2] + 2 * own * before[1] + own**2 * before[0])
    mean = first / ways
    return np.asarray(mean), np.maximum(second / ways - mean**2, 0.0)


class _SlopeEstimate(NamedTuple):
    """A slope with its interval and p, corrected over places too."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    missing: Missing | None = None


def _slopes(answers: _Answers, law: _Law, place: Codes, clean: Mask, confidence: float) -> list[_SlopeEstimate]:
    """The slope of each place over that of the clean items of all others."""
    every = [
        _slope_at(answers, law, answers.informative & (place == code), clean & (place != code), confidence)
        for code in range(int(place.max(initial=-1)) + 1)
    ]
    corrected = holm([np.nan if each.p is None else each.p for each in every])
    columns = zip(every, corrected.tolist(), strict=True)
    return [each._replace(p_adjusted=None if each.p is None else p) for each, p in columns]


def _slope_at(answers: _Answers, law: _Law, here: Mask, there: Mask, confidence: float) -> _SlopeEstimate:
    groups = int(np.unique(answers.cluster[here]).size)
    few = min(groups, int(np.unique(answers.cluster[there]).size))
    if few < MIN_CLUSTERS:
        return _SlopeEstimate(missing=too_few(few).missing)
    one, other = (_Ratio.of(law, kept, answers.cluster) for kept in (here, there))
    if one is None or other is None or other.value <= 0:
        return _SlopeEstimate(missing=Missing(code="models_alike"))
    size, freedom = one.value / other.value, groups - 1
    drawn, alone = (hypot(getattr(one, kind), size * getattr(other, kind)) for kind in ("drawn", "alone"))
    reach = max(t_quantile(freedom, confidence) * drawn, z_quantile(confidence) * alone) / other.value
    gap = abs(one.value - other.value)
    drawn, alone = (hypot(getattr(one, kind), getattr(other, kind)) for kind in ("drawn", "alone"))
    p = max(2 * special.stdtr(freedom, -gap / drawn) if drawn else 0.0, 2 * special.ndtr(-gap / alone))
    return _SlopeEstimate(size, size - reach, size + reach, float(p))


class _Ratio(NamedTuple):
    """Lead of items over what it should be, with two standard errors: over clusters, and of items drawn one by one.

    Few clusters may be alike by chance, and items of one cluster may go together: the larger one counts.
    """

    value: float
    drawn: float
    alone: float

    @classmethod
    def of(cls, law: _Law, kept: Mask, cluster: Codes) -> "_Ratio | None":
        """A ratio of sums; None where items should lead by nothing."""
        lead, wanted = law.lead[kept], law.wanted[kept]
        total = float(wanted.sum())
        if total <= 0:
            return None
        value = float(lead.sum()) / total
        sums = sums_by(ranks(cluster[kept]), lead - value * wanted)
        drawn = sqrt(sums.size / (sums.size - 1) * float((sums**2).sum()))
        return cls(value, drawn / total, sqrt(float(law.variance[kept].sum())) / total)


def _row(name: str, answers: _Answers, inside: Mask, found: _SlopeEstimate, p: Floats) -> PlaceFit:
    here, tested = answers.informative & inside, np.isfinite(p[inside])
    return PlaceFit(
        place=name,
        items=int((answers.whole & inside).sum()),
        informative=int(here.sum()),
        clusters=int(np.unique(answers.cluster[here]).size),
        slope=found.value,
        low=found.low,
        high=found.high,
        p=found.p,
        p_adjusted=found.p_adjusted,
        misfits=int((p[inside][tested] < LEVEL).sum()) if tested.any() else None,
        missing=found.missing,
    )


def _item_fits(answers: _Answers, clean: Mask) -> tuple[Floats, float | None]:
    """One-sided p of each item's leading as it should, and the chance to see one that ability has no bearing on."""
    p, informative = np.full(answers.many.size, np.nan), answers.informative
    if not (informative & clean).any():
        return p, None
    ability = _ability(answers.right[:, informative & clean])
    if not np.ptp(ability):
        return p, None
    steps = np.rint((ability - ability.min()) / (ability - ability.min()).sum() * _GRID).astype(np.int64)
    tail, flat = (_tails(steps, odds) for odds in (np.exp(ability), np.ones(ability.size)))
    at = answers.many[informative], (steps @ answers.right)[informative]
    p[informative] = tail[at]
    # An item is seen not to fit at every sum whose tail is below the level: the last of them has the chance of all.
    seen = np.where(tail < LEVEL, flat, 0.0).max(1)
    return p, float(seen[answers.many[informative]].mean())


def _tails(steps: Integers, odds: Floats) -> Floats:
    """The chance of so low a sum of steps or a lower one, by how many models are right and the sum."""
    law = np.zeros((steps.size + 1, int(steps.sum()) + 1))
    law[0, 0] = 1.0
    for step, own in zip(steps.tolist(), odds.tolist(), strict=True):
        law[1:, step:] += own * law[:-1, : law.shape[1] - step].copy()
    return np.asarray(np.cumsum(law, axis=1) / law.sum(1, keepdims=True))
