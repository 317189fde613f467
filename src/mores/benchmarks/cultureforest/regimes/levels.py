"""From options to open answers: what each model gets as help is taken away, and what it gains from being told.

Easy and medium are paired by question, and so is each level with the same one where the norms are told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mores.analysis.contrast import Contrast, ContrastOptions, adjusted, contrast
from mores.analysis.units import Subject
from mores.benchmarks.cultureforest.hard import HARD
from mores.benchmarks.cultureforest.metrics import FORM_ERRORS, REFUSED
from mores.benchmarks.cultureforest.modes import CLOSED, INFORMED, MODES, scored, unlike
from mores.benchmarks.shapes.adherence.shares import ModeNormScore, step_of
from mores.benchmarks.shapes.regions.gaps import SEED
from mores.core.estimate import Estimate, Missing

RESAMPLES = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Wrong answers, one a question and sample: how many, and how many of them could not be read or were declined.

    `of_form` is the published share of errors in which no label could be read, refusals among them.
    """

    wrong: int
    unread: int
    refused: int
    of_form: Estimate | None

    @property
    def content(self) -> int:
        """Answers that could be read and were wrong."""
        return self.wrong - self.unread - self.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelScores:
    """One model on all the modes it was asked in; `drop` is medium less easy, None where it is missing."""

    name: str
    simulated: bool
    closed: dict[str, Estimate | None]
    errors: dict[str, Errors]
    open: ModeNormScore | None
    drop: Contrast | None
    missing: Missing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InformedGain:
    """What being told the norms brings one model at one level; `missing` says why it was not paired."""

    name: str
    simulated: bool
    mode: str
    change: Contrast | None
    missing: Missing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """All models; p-values of drops are corrected over models, of gains over models and levels."""

    modes: tuple[str, ...]
    climbs: tuple[LevelScores, ...]
    gains: tuple[InformedGain, ...]

    @property
    def drops(self) -> tuple[Contrast, ...]:
        """The drops that were tested: their family."""
        return tuple(climb.drop for climb in self.climbs if climb.drop is not None and climb.drop.p is not None)

    @property
    def gained(self) -> tuple[Contrast, ...]:
        """The gains that were tested: their family."""
        return tuple(gain.change for gain in self.gains if gain.change is not None and gain.change.p is not None)

    @property
    def fell(self) -> int:
        """Models whose drop is significant after correction."""
        return sum(drop.found and (drop.difference or 0) < 0 for drop in self.drops)

    @property
    def rose(self) -> int:
        """Gains that are significant after correction."""
        return sum(gain.found and (gain.difference or 0) > 0 for gain in self.gained)


def levels_of(subjects: Sequence[Subject]) -> Levels:
    """Where each model stands in each mode, its drop from easy to medium, and its gain from the norms."""
    climbs = [_level_scores(subject) for subject in subjects if any(mode in subject.evaluations for mode in MODES)]
    drops = iter(adjusted([climb.drop for climb in climbs if climb.drop is not None]))
    gains = [gain for subject in subjects for gain in _gains(subject)]
    rises = iter(adjusted([gain.change for gain in gains if gain.change is not None]))
    return Levels(
        modes=tuple(mode for mode in MODES if any(mode in subject.evaluations for subject in subjects)),
        climbs=tuple(climb if climb.drop is None else replace(climb, drop=next(drops)) for climb in climbs),
        gains=tuple(gain if gain.change is None else replace(gain, change=next(rises)) for gain in gains),
    )


def _level_scores(subject: Subject) -> LevelScores:
    asked = {mode: subject.evaluations[mode] for mode in CLOSED if mode in subject.evaluations}
    missing = unlike(*asked.values()) if len(asked) == len(CLOSED) else Missing(code="not_asked_both_ways")
    return LevelScores(
        name=subject.name,
        simulated=subject.simulated,
        closed={mode: result.whole() for mode, result in asked.items()},
        errors={mode: _errors(subject, mode) for mode in asked},
        open=step_of(scored(subject, HARD)) if HARD in subject.evaluations else None,
        drop=None if missing else _contrast(subject, *CLOSED, "drop", subject.name),
        missing=missing,
    )


def _errors(subject: Subject, mode: str) -> Errors:
    result = subject.evaluations[mode]
    form = result.scores[FORM_ERRORS]
    refused = int(form.beside[REFUSED].sum())
    return Errors(
        wrong=int((result.scores[result.headline].value < 1).sum()),
        unread=int((form.value == 1).sum()) - refused,
        refused=refused,
        of_form=result.whole(FORM_ERRORS),
    )


def _contrast(subject: Subject, before: str, after: str, *stream: str) -> Contrast:
    """After less before, over the units that both graded."""
    one, other = scored(subject, before), scored(subject, after)
    metric, sides = one.result.metric(one.metric), (one.result, other.result)
    terms = ContrastOptions(SEED.child(*stream), one.metric, metric, resamples=RESAMPLES, sides=sides)
    return contrast(one.result.scores[one.metric], other.result.scores[other.metric], terms)


def _gains(subject: Subject) -> Iterator[InformedGain]:
    for told, result in subject.evaluations.items():
        mode = told.removeprefix(INFORMED)
        if mode == told:
            continue
        plain = subject.evaluations.get(mode)
        missing = Missing(code="not_asked_without_norms") if plain is None else unlike(plain, result)
        change = None if missing else _contrast(subject, mode, told, "gain", subject.name, mode)
        yield InformedGain(name=subject.name, simulated=subject.simulated, mode=mode, change=change, missing=missing)
