"""Item analysis by models' answers: difficulty, discrimination between good models and bad, rival answers.

Models are those who are tested here, and items what is looked at. Few models say little: shares can be counted with any
number of them, a correlation is claimed from eight of five families. Models of one family answer alike, so that claims
over models count families: what is drawn at random is a family with its models.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.checks import confident, ranks, ratio, same_length, sums_by
from mores.stats.crossed_effects import MIN_FAMILIES, too_few_families
from mores.stats.ranks import midranks

ENOUGH = 8
"""Models from which a correlation over models is claimed."""
LEVEL = 0.05
Bools = npt.NDArray[np.bool_]


class ItemStatistics(Struct, frozen=True, kw_only=True):
    """A row an item: models with a grade on it, their mean share, and how many have all of it or nothing.

    `rest` is the item-rest correlation over models: of the item's points with the mean of all other items. `p_negative`
    is one-sided, small where better models do worse on the item, by a rank test over families. Both are NaN with fewer
    than 8 models, and where all models have the same points; the p also with fewer than 5 families.
    """

    models: Integers
    share: Floats
    right: Integers
    wrong: Integers
    rest: Floats
    p_negative: Floats

    @property
    def nobody(self) -> Bools:
        """Items on which no model got anything."""
        return np.asarray((self.models > 0) & (self.wrong == self.models))

    @property
    def everybody(self) -> Bools:
        """Items on which every model got everything."""
        return np.asarray((self.models > 0) & (self.right == self.models))

    @property
    def negative(self) -> Bools:
        """Items on which better models do worse, at level .05 each: one in twenty where items tell nobody apart."""
        return np.nan_to_num(self.p_negative, nan=1.0) < LEVEL


def item_statistics(points: npt.ArrayLike, families: npt.ArrayLike | None = None) -> ItemStatistics:
    """Figures of each item over models.

    The test of a negative correlation ranks models by the rest of the items and takes the points as dealt out among
    families, each with the mean points and the mean rank of its models: normal, with the variance of all permutations
    and, for points of 0 and 1, a correction for continuity. Ranks keep one model that lies far off from deciding alone.

    Args:
        points: Shape (models, items), from 0 to 1; NaN where ungraded.
        families: The family of each model, in any labels; None takes each as its own.

    Raises:
        InputError: not a table, points outside [0, 1], or lengths differ.

    Source:
        Crocker and Algina (1986), Introduction to Classical and Modern Test Theory, ch. 14 (item-rest correlation).

    >>> found = item_statistics([[1, 0, 1], [1, 0, 0]])
    >>> found.share.tolist(), found.nobody.tolist(), found.everybody.tolist()
    ([1.0, 0.0, 0.5], [False, True, False], [True, False, False])
    """
    x = _table(points)
    known = np.isfinite(x)
    models = known.sum(0)
    values = np.where(known, x, 0.0)
    rest = _rest(values, known)
    return ItemStatistics(
        models=models,
        share=ratio(values.sum(0), models),
        right=((x >= 1 - 1e-9) & known).sum(0),
        wrong=((x <= 1e-9) & known).sum(0),
        rest=_correlation(x, rest),
        p_negative=_p_negative(x, rest, _families(families, x)),
    )


def _families(families: npt.ArrayLike | None, x: Floats) -> Integers:
    """Codes of families; each model's own where none are given."""
    codes = np.arange(len(x)) if families is None else ranks(families)
    same_length(codes, np.empty(len(x)), "families and models")
    return codes


def _table(points: npt.ArrayLike) -> Floats:
    x = np.asarray(points, dtype=np.float64)
    if x.ndim != 2:
        raise InputError(f"points has {x.ndim} dimensions; expected a table of models by items.")
    if np.any((x < -1e-9) | (x > 1 + 1e-9)):
        raise InputError("points has values outside [0, 1]; expected shares.")
    return x


def _rest(values: Floats, known: Bools) -> Floats:
    """Mean of all other graded items of each model, shape (models, items); NaN where there are none."""
    others = known.sum(1, keepdims=True) - known
    total = values.sum(1, keepdims=True) - values
    return ratio(total, others)


def _paired(x: Floats, rest: Floats, enough: int) -> tuple[Bools, Floats, Floats]:
    """Columns in which both are known in enough rows; both less their means, 0 where unknown."""
    both = np.isfinite(x) & np.isfinite(rest)
    both &= both.sum(0) >= enough
    count = np.maximum(both.sum(0), 1)
    centred = [np.where(both, each - np.where(both, each, 0.0).sum(0) / count, 0.0) for each in (x, rest)]
    return both, centred[0], centred[1]


def _correlation(x: Floats, rest: Floats) -> Floats:
    _, one, other = _paired(x, rest, ENOUGH)
    scale = np.sqrt((one**2).sum(0) * (other**2).sum(0))
    return ratio((one * other).sum(0), scale)


def _p_negative(x: Floats, rest: Floats, family: Integers) -> Floats:
    rank = midranks(np.where(np.isfinite(x), rest, np.nan).T).T
    many = np.isfinite(x) & np.isfinite(rank)
    x, rank = (_by_family(np.where(many & (many.sum(0) >= ENOUGH), each, np.nan), family) for each in (x, rank))
    both, one, other = _paired(x, rank, MIN_FAMILIES)
    count = both.sum(0)
    spread = np.sqrt((one**2).sum(0) * (other**2).sum(0) / np.maximum(count - 1, 1))
    whole = np.all(np.isnan(x) | (x == 0) | (x == 1), axis=0)
    # half a step for continuity, where points are 0 and 1 and the sum moves in steps
    reached = (one * other).sum(0) + np.where(whole, 0.5, 0.0)
    return np.asarray(special.ndtr(ratio(reached, spread)))


def _by_family(values: Floats, family: Integers) -> Floats:
    """The mean of each family on each item, shape (families, items); NaN where none of its models has one."""
    known = np.isfinite(values)
    member = (family == np.arange(int(family.max(initial=-1)) + 1)[:, None]).astype(np.float64)
    return ratio(member @ np.where(known, values, 0.0), member @ known)


class Alpha(Struct, frozen=True, kw_only=True):
    """Reliability of a scale over models, with its interval; all None with `missing` where it cannot be told.

    `models` of `families` and `items` are those it rests on: items that every model has a grade on.
    """

    value: float | None
    low: float | None
    high: float | None
    models: int
    families: int
    items: int
    missing: Missing | None = None


def scale_reliability(points: npt.ArrayLike, families: npt.ArrayLike | None = None, confidence: float = 0.95) -> Alpha:
    """Cronbach's alpha of the items over models, which is Kuder and Richardson's formula 20 for points of 0 and 1.

    k / (k - 1) · (1 - sum of the items' variances / variance of the sums), with Feldt's interval: how far differences
    between models would come out again with other items of the kind. It speaks of models like these: alike models make
    any scale look poor. Where families have several models, a variance is that between families and that within them,
    each estimated for itself, and the interval has the degrees of freedom of the sums' (Satterthwaite).

    Args:
        points: Shape (models, items), from 0 to 1; items with a NaN are left out.
        families: The family of each model, in any labels; None takes each as its own.
        confidence: Wanted coverage.

    Raises:
        InputError: not a table, points outside [0, 1], or lengths differ.

    Source:
        Kuder and Richardson (1937), Psychometrika 2; Feldt (1965), Psychometrika 30 (interval); Searle, Casella and
        McCulloch (1992), Variance Components, ch. 3.6 (unequal families); Satterthwaite (1946), Biometrics Bulletin 2.
    """
    confident(confidence)
    x = _table(points)
    family = _families(families, x)
    x = x[:, np.isfinite(x).all(0)]
    models, items = x.shape
    of = int(family.max(initial=-1)) + 1
    missing = Missing(code="too_few_models", n=models, needed=ENOUGH) if models < ENOUGH else None
    if missing is None:
        missing = too_few_families(of).missing if of < MIN_FAMILIES else None
    if missing is None and items < 2:
        missing = Missing(code="fewer_than_two_items")
    sums = _components(x.sum(1, keepdims=True), family) if missing is None else None
    if sums is not None and sums.variance[0] <= 1e-12:
        missing = Missing(code="models_alike")
    if missing is not None or sums is None:
        return Alpha(value=None, low=None, high=None, models=models, families=of, items=items, missing=missing)
    value = items / (items - 1) * (1 - float(_components(x, family).variance.sum() / sums.variance[0]))
    second, tail = sums.freedom * (items - 1), (1 - confidence) / 2
    # Feldt: (1 - true) / (1 - estimated) follows an F law
    low, high = (1 - (1 - value) * float(special.fdtri(sums.freedom, second, at)) for at in (1 - tail, tail))
    return Alpha(value=value, low=low, high=high, models=models, families=of, items=items)


class _Components(NamedTuple):
    """Variance of columns over models, and the degrees of freedom of the first column's."""

    variance: Floats
    freedom: float


def _components(values: Floats, family: Integers) -> _Components:
    """Estimate without bias of the variance over models of other families: that between families and within them.

    With one model a family it is the sample's variance. Families of unequal size count as Kish's number of them, and
    families of several models as one fewer: of 5 and 6 families of 3 alpha's interval then holds .95, of 6 models each
    .93; as it were .92 and .91.
    """
    models, size = len(values), np.bincount(family).astype(np.float64)
    means = np.stack([sums_by(family, column) for column in values.T], axis=1) / size[:, None]
    typical = (models - float(size @ size) / models) / (size.size - 1)  # models a family
    outer = (size @ (means - values.mean(0)) ** 2) / (size.size - 1) / typical
    rest = max(1, models - size.size)
    inner = ((values - means[family]) ** 2).sum(0) / rest * (1 - 1 / typical)
    worth = max(1.0, models**2 / float(size @ size) - 1 - (models > size.size))
    loss = float(outer[0]) ** 2 / worth + float(inner[0]) ** 2 / rest
    variance = outer + inner
    return _Components(variance, float(variance[0]) ** 2 / loss if loss else 0.0)


def rival_p(
    keyed: npt.ArrayLike,
    rival: npt.ArrayLike,
    answers: int,
    families: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
) -> float:
    """One-sided p of more and better models giving another answer, were the key as likely of each that gave either.

    Wilcoxon's signed-rank test, counted exactly, of the models that gave the key or the other answer, the better ones
    weighing more; times the number of other answers there are, as the most frequent of them is the one that is looked
    at. Small where the key may be wrong, and where a trap catches good models. The answers of a family's models change
    places together, so that copies count once.

    Args:
        keyed: How good the models are that gave the key: their means on the other items.
        rival: The same of those that gave the most frequent other answer.
        answers: Other answers that could have been given.
        families: The families of the models of both, in their order; None takes each model as its own.

    >>> rival_p([0.4], [0.5, 0.6, 0.7, 0.8, 0.9], 1)
    0.03125
    """
    key, other = np.asarray(keyed, dtype=np.float64), np.asarray(rival, dtype=np.float64)
    # ranks of ties are halves: doubled they are whole, and their law can be counted
    twice = np.rint(2 * midranks(np.concatenate((key, other)))).astype(np.int64)
    of = list(range(twice.size)) if families is None else [*families[0], *families[1]]
    same_length(np.arange(len(of)), twice, "families and models")
    sides: dict[Hashable, list[int]] = {}
    for family, rank, side in zip(of, twice.tolist(), [0] * key.size + [1] * other.size, strict=True):
        sides.setdefault(family, [0, 0])[side] += rank
    chance, sure = np.ones(1), 0
    for one, another in sides.values():
        sure += min(one, another)
        gap = abs(one - another)
        chance = (np.pad(chance, (gap, 0)) + np.pad(chance, (0, gap))) / 2
    return min(1.0, answers * float(chance[int(twice[key.size :].sum()) - sure :].sum()))
