"""Certificates made of labelled draws: of kept sets of them, or of the decisions that may stand.

labelled draws ─▶ `stats.conformal.calibrate`, or `stats.selective.certify_confidence` ─▶ levels in numbers and words
─▶ a certificate of one judge on one task, or why there is none.
"""

from collections.abc import Iterator, Sequence
from math import ceil, isinf

from msgspec import Struct, field
from msgspec.structs import replace

from mores.calibration.calibration_labels import CalibrationLabels
from mores.calibration.certificate import Certificate, CertifiedLevel
from mores.calibration.draws import JudgeDraws, Rows
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.conformal.calibration import (
    MANY,
    Calibrated,
    CalibrationPlan,
    Uncalibratable,
    calibrate,
    calibrate_groups,
    stop_levels,
)
from mores.stats.conformal.draws import LabelledDraws
from mores.stats.conformal.risk_tests import most_losses, units_to_pass
from mores.stats.selective import Trusted, Untrusted, certify_confidence, confidence_levels
from mores.tables.missing_texts import format_missing

CertifyAnswer = Calibrated | Uncalibratable
UNLABELLED = 30
"""Things without labels from which on stops are quantiles over them."""
EVEN = "even steps, fixed beforehand"
MIN_ACCEPTED = 30
"""Things at or above a confidence without which none is tested."""


class CertificationRequest(Struct, frozen=True, kw_only=True):
    """Request of a calibration: levels, plan, and whether for each place on its own."""

    risks: tuple[float, ...]
    plan: CalibrationPlan = field(default_factory=CalibrationPlan)
    by_place: bool = False

    def sweeps(self, clusters: int) -> bool:
        """True if thresholds of all three kinds are tried, on things split off; else the stop alone is moved."""
        return self.plan.mode == "pareto" or (self.plan.mode == "auto" and clusters >= MANY)


def certify(
    draws: JudgeDraws, truths: CalibrationLabels, asked: CertificationRequest, *, seed: Seed
) -> tuple[Certificate, ...]:
    """Certificates on the things that calibrate: one, or one for each place.

    Raises:
        InputError: labels are too few for any level, or of one class only.
    """
    truths.check(asked.risks, asked.plan.level, draws.name)
    rows = truths.calibration
    labelled = truths.labelled(draws.draws(rows, similarity=asked.sweeps(truths.clusters(rows))), rows)
    asked, steps = _stepped(draws, truths, asked)
    places = draws.table.places[rows]
    answers = _answers(labelled, places.tolist() if asked.by_place else None, asked, seed)
    return tuple(
        _certificate(draws, truths, rows if place is None else rows[places == place], place, found, (asked, steps))
        for place, found in answers
    )


def _answers(
    labelled: LabelledDraws, places: Sequence[str] | None, asked: CertificationRequest, seed: Seed
) -> Iterator[tuple[str | None, Sequence[CertifyAnswer]]]:
    """The answers at each level, of all things together or place by place."""
    if places is None:
        yield None, calibrate(labelled, asked.risks, asked.plan, seed=seed)
    else:
        yield from calibrate_groups(labelled, places, asked.risks, asked.plan, seed=seed).items()


def _stepped(
    draws: JudgeDraws, truths: CalibrationLabels, asked: CertificationRequest
) -> tuple[CertificationRequest, str]:
    """Request with its stops, which must not depend on the things that calibrate, and their source in words.

    Likelihoods of long texts lie close together, so their steps are quantiles over things without labels.
    """
    plan, free = asked.plan, truths.unlabelled
    # other qualities spread over their range, so that even steps suit them
    even = draws.measure.quality not in {"gnmt", "mean", "decision"} or plan.score != "max"
    if even or asked.sweeps(truths.clusters(truths.calibration)):
        return asked, EVEN
    if free.size < UNLABELLED:
        return asked, f"{EVEN}, as only {free.size} things of other clusters have no label"
    stops = stop_levels(draws.draws(free, similarity=False), plan.score)
    return replace(asked, plan=replace(plan, stops=stops)), f"quantiles over {free.size} things without labels"


def _certificate(
    draws: JudgeDraws,
    truths: CalibrationLabels,
    rows: Rows,
    place: str | None,
    answers: Sequence[CertifyAnswer],
    how: tuple[CertificationRequest, str],
) -> Certificate:
    (asked, steps), plan = how, how[0].plan
    population = truths.population(rows)
    swept = asked.sweeps(population.clusters)
    # places share delta, so that the promises of all of them hold together
    places = 1 if place is None else len(set(draws.table.places[truths.calibration].tolist()))
    unlimited = ", however many sets are empty" if plan.most_empty is None else ""
    test = _Test(plan=plan, delta=plan.level / places, swept=swept, counted=not population.clustered)
    return Certificate(
        conditions=draws.conditions,
        hash=draws.conditions.hash,
        place=place,
        promise="probability",
        delta=test.delta,
        claims=plan.claims,
        mode="pareto" if swept else "line",
        steps=f"the efficient ones on {plan.tuning:.0%} of the units, split off{unlimited}" if swept else steps,
        population=population,
        levels=tuple(_level(answer, test, truths.meant) for answer in answers),
    )


class _Test(Struct, frozen=True, kw_only=True):
    """Test of the levels: the plan, the delta of each, whether units were split off, and lost or not."""

    plan: CalibrationPlan
    delta: float
    swept: bool
    counted: bool

    def needed(self, answer: Uncalibratable) -> int | None:
        """A guess at the labels that would certify a level, those split off among them."""
        units = units_to_pass(answer.loss, answer.risk, self.delta, counted=self.counted)
        return units if units is None or not self.swept else ceil(units / (1 - self.plan.tuning))


def _level(answer: CertifyAnswer, test: _Test, meant: str) -> CertifiedLevel:
    if isinstance(answer, Uncalibratable):
        return CertifiedLevel(
            risk=answer.risk,
            certified=False,
            thresholds={},
            loss=answer.loss,
            units=answer.units,
            claim=format_missing(answer.missing),
            p=answer.p,
            tested=answer.tested,
            cause=answer.cause,
            passes_at=answer.passes_at,
            labels_needed=test.needed(answer),
        )
    return CertifiedLevel(
        risk=answer.risk,
        certified=True,
        thresholds={name: _plain(value) for name, value in answer.thresholds._asdict().items()},
        loss=answer.loss,
        units=answer.units,
        claim=f"{format_claim(answer)} {meant}",
        p=answer.p,
        tested=answer.tested,
        accepted=answer.accepted,
    )


def format_claim(answer: Calibrated | Trusted) -> str:
    """Promise of a certificate in words; stored in certificates, so that a changed word changes their hash."""
    match answer:
        case Calibrated():
            drawn = "an item of a cluster drawn like these" if answer.clustered else "an item drawn like these"
            return (
                f"With probability at least {1 - answer.delta:.4g} over the {answer.units} calibration units, the kept "
                f"draws for {drawn} include the right judgement with probability at least {1 - answer.risk:.4g}."
            )
        case Trusted():
            return (
                f"With probability at least {1 - answer.delta:.4g} over {answer.items} calibration items, at most "
                f"{answer.risk:.4g} of the decisions with a confidence of at least {answer.level:.4g} are wrong."
            )


def _plain(value: float) -> float | str:
    return str(value) if isinf(value) else value


def one_each_allows(clusters: int, risks: Sequence[float], delta: float) -> dict[float, int]:
    """Number of losses that would pass each level, were one thing of each cluster tested; levels that none passes out.

    It looks at no label, so that who reads it may still choose.
    """
    found = {risk: most_losses(clusters, risk, delta) for risk in risks}
    return {risk: losses for risk, losses in found.items() if losses is not None}


def certify_decisions(draws: JudgeDraws, truths: CalibrationLabels, asked: CertificationRequest) -> Certificate:
    """The certificate of trusting decisions from some confidence on, at each level.

    Raises:
        InputError: things share clusters, are too few, or of one class.
    """
    rows, population, delta = truths.calibration, truths.population(truths.calibration), asked.plan.level
    if population.clustered:
        raise InputError(
            f"{draws.name}: {population.items} labelled things come from {population.clusters} episodes; this bound is "
            "for independent things. Take one of each: --one-per-episode."
        )
    truths.check(asked.risks, delta, draws.name)
    found = draws.decided
    free = found.confidence[truths.unlabelled]
    quantiles = free.size >= UNLABELLED
    levels = confidence_levels(free) if quantiles else tuple(step / 100 for step in range(100, -1, -1))
    answers = certify_confidence(
        found.confidence[rows], truths.wrong(found, rows), asked.risks, levels=levels, delta=delta
    )
    return Certificate(
        conditions=draws.conditions,
        hash=draws.conditions.hash,
        place=None,
        promise="selective",
        delta=delta,
        claims=asked.plan.claims,
        mode="downwards",
        steps=f"quantiles over {free.size} things without labels" if quantiles else "hundredths, fixed beforehand",
        population=population,
        levels=tuple(_level_of_decisions(answer, rows.size, delta, truths.meant) for answer in answers),
    )


def _level_of_decisions(answer: Trusted | Untrusted, items: int, delta: float, meant: str) -> CertifiedLevel:
    loss = answer.errors / answer.accepted if answer.accepted else 0.0
    if isinstance(answer, Trusted):
        return CertifiedLevel(risk=answer.risk, certified=True, thresholds={"confidence": answer.level}, loss=loss,
            units=items,
                     claim=f"{format_claim(answer)} {meant}", kept=answer.accepted)  # fmt: skip
    units = units_to_pass(loss, answer.risk, delta)
    # labels are needed of all confidences, of which only this share reaches the level
    share = max(answer.accepted, 1) / items
    return CertifiedLevel(risk=answer.risk, certified=False, thresholds={}, loss=loss, units=items,
                 claim=format_missing(answer.missing), kept=answer.accepted, cause=answer.cause, passes_at=answer.upper,
                 labels_needed=None if units is None else ceil(max(units, MIN_ACCEPTED) / share))  # fmt: skip
