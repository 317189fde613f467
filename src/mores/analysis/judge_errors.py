"""Error rates of judges, by labels of the same answers, a stated range or labels of others; and what they move."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    correction: Metric | None

    @property
    def bands(self) -> tuple[JudgeBand, ...]:
        """The judge bands that there are."""
        return tuple(band for band in map(judge_band_of, (figure for figure, _ in self.figures)) if band is not None)

    @property
    def alike(self) -> bool:
        """True where all that were judged have the same judges, of the same range."""
        return len({(judges, _rates(figure)) for figure, judges in self.figures if judge_band_of(figure)}) == 1

    @property
    def ordered(self) -> bool:
        """True where a judge of whatever rates, the same for all rows, lets none of them pass another.

        A figure of one verdict a unit, all of which the judge decides, rises with what the judge passed. One whose
        units need every one of several verdicts, or of which each row leaves another share to the judge, need not.
        """
        metric, labelled = self.correction, all(band.labelled for band in self.bands)
        return self.alike and metric is not None and not metric.shown and (metric.judged == "verdict" or labelled)

    @property
    def reach(self) -> tuple[float, float] | None:
        """How far down and up the errors of judges may move any of the figures; None where none has both."""
        pairs = [(band, figure.value) for figure, _ in self.figures if (band := judge_band_of(figure))]
        moves = [(band.low - value, band.high - value) for band, value in pairs if value is not None]
        return (min(down for down, _ in moves), max(up for _, up in moves)) if moves else None


def _rates(figure: Estimate) -> object:
    band = judge_band_of(figure)
    return band and (band.sensitivity, band.specificity)


def describe_shared_bands(benchmarks: Iterable[JudgedRows]) -> str:
    """How far judges may move the rows of some benchmarks, and whether they move together; empty for unjudged ones."""
    judged = _shortly([each for each in benchmarks if each.bands])
    moves = [f"{each.name} {_move(each.reach, each.metric)}" for each in judged if each.reach is not None]
    if not moves:
        return ""
    rates = words.describe_judge_rates(band for each in judged for band in each.bands)
    told = f"Judge bands, in points about the figure: {', '.join(moves)}; for any judge with {rates}."
    return " ".join((told, *_moved_together([each for each in judged if len(each.bands) > 1])))


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


def _moved_together(several: Sequence[JudgedRows]) -> Iterator[str]:
    """Sentences on benchmarks with several judged rows: which move together, and whether one may pass another."""
    ordered = [each.name for each in several if each.ordered]
    free = [each.name for each in several if each.alike and not each.ordered]
    apart = [each.name for each in several if not each.alike]
    if ordered:
        on = f" on {_listed(ordered)}" if free or apart else ""
        but = f"; on {_listed(free)} one may" if free else ""
        yield f"One judge moves all rows together: whatever its rates, none passes another{on}{but}."
    elif free:
        on = f" on {_listed(free)}" if apart else ""
        yield f"One judge moves all rows together{on}, and one may pass another."
    if apart:
        yield f"Rows of {_listed(apart)} have different judges."


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
