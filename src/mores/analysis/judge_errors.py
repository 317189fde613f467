"""Error rates of judges, by labels of the same answers, a stated range or labels of others; and what they move."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from mores.core.card import Metric
from mores.core.errors import InputError
from mores.core.estimate import Estimate, JudgeBand, judge_band_of
from mores.models.verifier_facts import VerifierCalibration
from mores.stats.intervals import z_quantile
from mores.stats.rogan_gladen import LEAST_J, JudgeErrors, LabelSource, RateRange
from mores.tables import formatting as words

STATED = JudgeErrors.within(0.75, 1.0)
"""In which range a judge's sensitivity and specificity are taken to lie where nobody says otherwise."""
_NEAR = 1e-9
_DIGITS = 10
"""Digits that figures keep, so that the last bit of a sum does not differ between machines."""
LEAST_LABELS = 10
"""Labels, counted by their clusters, from which a rate is theirs; below, it is the range's."""


class KnownJudgeErrors(Struct, frozen=True, kw_only=True):
    """Known errors of judges: by a cell's folder those that people's labels tell, and a range that was stated.

    A stated range goes before what was measured of a verifier elsewhere; None where nobody stated one.
    """

    stated: JudgeErrors | None = None
    labelled: Mapping[Path, JudgeErrors] = field(default_factory=dict)

    def of(self, folder: Path, measured: VerifierCalibration | None = None) -> JudgeErrors:
        """The errors of who judged in a folder, of which something may have been `measured` on other pairs."""
        # labels of these very answers go before a stated range, which goes before what was measured on other pairs
        return self.labelled.get(folder) or self.unlabelled(measured)

    def unlabelled(self, measured: VerifierCalibration | None) -> JudgeErrors:
        """The same where no answer of the run is labelled."""
        if self.stated is not None:
            return self.stated
        return STATED if measured is None else _measured(measured)


def judge_band(figure: Estimate, metric: Metric, shown: Estimate | None, errors: JudgeErrors) -> JudgeBand | None:
    """Values of a judged figure for every judge of a range, by Rogan and Gladen at the two ends that matter.

    A figure on a scale counts as the share of it that the judge let pass. `shown` is the share that the judge decided,
    None for all. Where a unit needs `every` one of several verdicts, a kept one may pass as seldom as the figure itself
    says, so the band reaches up to all; where `any` of several suffices, down to none. None without a value, or where
    no judge has a part.

    >>> half = Estimate(metric="kept", value=0.5, asked=20, graded=20)
    >>> band = judge_band(half, Metric(name="kept", unit="norm", says="", judged="verdict"), None, STATED)
    >>> band and (round(band.low, 3), round(band.high, 3))
    (0.333, 0.667)
    """
    if figure.value is None or not metric.judged:
        return None
    whole = 1.0 if shown is None or shown.value is None else shown.value
    span = metric.high - metric.low
    share = (figure.value - metric.low) / span
    rates = [_ends(rate) for rate in errors.rates]
    if metric.better == "lower":
        rates.reverse()  # what the judge turns down is what is counted
    (least_se, most_se), (least_sp, most_sp) = rates
    low = _corrected(share, whole, most_se, least_sp, otherwise=0.0)
    high = _corrected(share, whole, least_se, most_sp, otherwise=whole)
    # Labels are of what the figure counts; a stated range is of each verdict that it is made of.
    if metric.judged == "every" and not errors.labelled and least_se < 1:
        high = whole
    if metric.judged == "any" and not errors.labelled and least_sp < 1:
        low = 0.0
    return JudgeBand(
        low=round(metric.low + span * low, _DIGITS),
        high=round(metric.low + span * high, _DIGITS),
        sensitivity=_ends(errors.sensitivity),
        specificity=_ends(errors.specificity),
        labelled=errors.labelled,
    )


def joined_band(bands: Sequence[JudgeBand], join: Callable[[Iterable[float]], float] | None = None) -> JudgeBand:
    """Band of a figure that several are behind: its ends `join` theirs, or hold all of them; its rates hold theirs."""
    least, most = (join, join) if join else (min, max)
    return JudgeBand(
        low=least(band.low for band in bands),
        high=most(band.high for band in bands),
        sensitivity=_holding(band.sensitivity for band in bands),
        specificity=_holding(band.specificity for band in bands),
        labelled=all(band.labelled for band in bands),
    )


def _holding(ranges: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The range that holds some ranges."""
    lows, highs = zip(*ranges, strict=True)
    return min(lows), max(highs)


def _corrected(share: float, whole: float, se: float, sp: float, *, otherwise: float) -> float:
    """A share by a judge of these rates; of one hardly better than chance anything may be true."""
    youden = se + sp - 1
    return otherwise if youden < LEAST_J else min(max((share - (1 - sp) * whole) / youden, 0.0), whole)


def _ends(rate: RateRange) -> tuple[float, float]:
    """The range of a rate: as stated, or its 95 % interval where labels tell it."""
    reach = z_quantile(0.95) * sqrt(rate.variance)
    return max(rate.low - reach, 0.0), min(rate.high + reach, 1.0)


class JudgedRows(NamedTuple):
    """The figures of one benchmark that are shown together, by `name`, each with the specs of its judges."""

    name: str
    metric: Metric | None
    figures: Sequence[tuple[Estimate, tuple[str, ...]]]

    @property
    def bands(self) -> tuple[JudgeBand, ...]:
        """The judge bands that there are."""
        return tuple(band for figure, _ in self.figures if (band := judge_band_of(figure)))

    @property
    def points(self) -> tuple[tuple[float, JudgeBand], ...]:
        """The figures that have a point and a band, the lowest first."""
        pairs = ((figure.value, judge_band_of(figure)) for figure, _ in self.figures)
        return tuple(sorted(((value, band) for value, band in pairs if value is not None and band), key=_at))

    @property
    def alike(self) -> bool:
        """True where all that were judged have the same judges, of the same range of rates."""
        judged = ((judges, judge_band_of(figure)) for figure, judges in self.figures)
        return len({(judges, band.sensitivity, band.specificity) for judges, band in judged if band}) == 1

    @property
    def ordered(self) -> bool:
        """True where no figure passes another at either end of their bands, which are of two judges with given rates.

        The correction by a judge's rates rises with what the judge passed, but it takes away the more, the more of a
        row's answers the judge decided: rows that left it different shares of them may change places.
        """
        lows = sorted((value, band.low) for value, band in self.points)
        highs = sorted((value, band.high) for value, band in self.points)
        return all(one <= other + _NEAR for ends in (lows, highs) for (_, one), (_, other) in pairwise(ends))

    @property
    def reach(self) -> tuple[float, float] | None:
        """Most that errors of judges may move any of the figures, down and up; None where none has both."""
        moves = [(band.low - value, band.high - value) for value, band in self.points]
        return (min(down for down, _ in moves), max(up for _, up in moves)) if moves else None


def _at(pair: tuple[float, JudgeBand]) -> float:
    return pair[0]


def describe_shared_bands(benchmarks: Iterable[JudgedRows]) -> str:
    """Words on how far judges may move the rows of benchmarks, and whether together; empty for unjudged ones."""
    judged = _shortly([each for each in benchmarks if each.bands])
    if not judged:
        return ""
    moves = [f"{each.name} {_move(each.reach, each.metric)}" for each in judged if each.reach is not None]
    bare = [f"{each.name} {_widest(each)} without a point" for each in judged if each.reach is None]
    rates = words.describe_judge_rates(band for each in judged for band in each.bands)
    about = f"Judge bands, in points about the figure: {', '.join(moves)}" if moves else ""
    first = "; ".join((*filter(None, (about, *bare)), f"for any judge with {rates}."))
    first = first if moves else f"Judge bands: {first}"
    return " ".join((first, *_moved_together([each for each in judged if len(each.points) > 1])))


def _shortly(rows: Sequence[JudgedRows]) -> list[JudgedRows]:
    """Benchmarks without the names of their families, where that leaves them apart."""
    own = [each.name.partition("/")[2] or each.name for each in rows]
    if len(rows) == 1:
        return [*rows]
    return [
        each._replace(name=short if own.count(short) == 1 else each.name) for each, short in zip(rows, own, strict=True)
    ]


def _move(reach: tuple[float, float], metric: Metric | None) -> str:
    down, up = (words.format_signed(end, metric) for end in reach)
    return f"{down} to {up}"


def _widest(rows: JudgedRows) -> str:
    """The ends of all bands of a benchmark."""
    return words.format_judge_band(joined_band(rows.bands), rows.metric)


def _moved_together(several: Sequence[JudgedRows]) -> Iterator[str]:
    """Sentences on benchmarks with several judged rows: which one judge moves together, and which change places."""
    ordered = [each.name for each in several if each.alike and each.ordered]
    crossed = [each.name for each in several if each.alike and not each.ordered]
    different = [each.name for each in several if not each.alike]
    if ordered:
        on = f" on {_listed(ordered)}" if crossed or different else ""
        yield f"One judge moves all rows together{on}: at neither end of the bands does one pass another."
    if crossed:
        yield f"On {_listed(crossed)} one judge may change the order of rows."
    if different:
        yield f"Rows of {_listed(different)} have different judges."


def _listed(names: Sequence[str]) -> str:
    return words.text_of(words.listed(names))


def stated_range(typed: str | None) -> KnownJudgeErrors:
    """Errors of every judge by a range such as `.85-1`; without one, those assumed by default.

    Raises:
        InputError: it is no range of two shares.
    """
    if typed is None:
        return KnownJudgeErrors()
    low, _, high = typed.partition("-")
    try:
        return KnownJudgeErrors(stated=JudgeErrors.within(float(low), float(high)))
    except ValueError:
        raise InputError(
            f"--judge-range {typed}: expected two shares from .6 to 1 with a hyphen, such as .85-1."
        ) from None


def rate_of(share: float, labels: float, otherwise: RateRange, source: LabelSource = "judged") -> RateRange:
    """A rate among so many labels; what it is otherwise, where these are too few."""
    return RateRange.labelled(share * labels, labels, source) if labels >= LEAST_LABELS else otherwise


def _measured(found: VerifierCalibration) -> JudgeErrors:
    sensitivity, specificity = (
        rate_of(figure.value or 0.0, worth, stated, found.labels)
        for figure, worth, stated in zip((found.sensitivity, found.specificity), found.worth, STATED.rates, strict=True)
    )
    return JudgeErrors(sensitivity=sensitivity, specificity=specificity)
