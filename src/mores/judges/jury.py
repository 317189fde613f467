"""Several judges, or several runs of one: mean of scores, majority of labels, and how far they disagree.

Jurors that failed are left out and counted. All count alike unless a run weighs them. Agreement is no proof of being
right: judges share their errors.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from statistics import fmean, variance
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, field, structs

from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import TranscriptEvent
from mores.judges.judge import JudgeOutcome, JudgeResult, Unjudged, ask_judge
from mores.judges.rubric import Case, Rubric
from mores.judges.rubric_answers import AnswerFormat, Ids, Opinion
from mores.models.cast import LoggingCaller, all_of
from mores.models.request import Tag
from mores.stats.intervals import Interval, mean_interval


class Jury(Struct, frozen=True, kw_only=True):
    """Roles of the cast that judge, number of answers asked of each, and the weight of each by role.

    A role without a weight counts 1. Who counts 0 is asked and never heard.
    """

    roles: tuple[str, ...] = ("judge",)
    runs: int = 1
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """There is a juror, and each sits once.

        Raises:
            InputError: it is not so.
        """
        if not self.roles or len(set(self.roles)) < len(self.roles) or self.runs < 1:
            raise InputError(f"A jury has the roles {list(self.roles)} × {self.runs}; expected one or more, each once.")

    def seats(self, tag: Tag) -> dict[str, Tag]:
        """The call of each juror in each run; run r of sample s is asked as sample s × runs + r, a call of its own."""
        return {
            f"{role}/{run}": structs.replace(tag, role=role, sample=tag.sample * self.runs + run)
            for role in self.roles
            for run in range(self.runs)
        }


class WeightedOpinion(NamedTuple):
    """One juror's opinion and what it counts."""

    opinion: Opinion
    weight: float


class JuryRuling(Struct, frozen=True, kw_only=True):
    """Joint result of the jurors on one id.

    `outcome` is Unjudged with the cause "tie" where two words have most votes, and "no juror" where all failed.
    `variance` of points is unbiased, and None under two votes and where words have no points.
    """

    id: str
    outcome: Opinion | Unjudged
    votes: int
    variance: float | None


class JuryResult(Struct, frozen=True, kw_only=True):
    """A jury's rulings in the order of the ids; `failed` counts the jurors that gave no opinion by their cause.

    `ballots` are the opinions on the first id, the only one where one thing was judged, with what each counts.
    """

    rulings: tuple[JuryRuling, ...]
    ballots: tuple[WeightedOpinion, ...]
    asked: int
    failed: dict[str, int]
    events: tuple[TranscriptEvent, ...]

    @property
    def ruling(self) -> JuryRuling:
        """The first ruling: the only one, where one thing was judged."""
        return self.rulings[0]


async def ask_jury(
    rubric: Rubric, case: Case, *, jury: Jury, cast: LoggingCaller, sampling: Sampling, seed: Seed
) -> JuryResult:
    """Result of a jury on one case; its jurors are asked at once and know nothing of each other.

    Raises:
        InputError: as for `ask_judge`.
    """
    seats = jury.seats(case.tag)
    cases = [case if tag == case.tag else structs.replace(case, tag=tag) for tag in seats.values()]
    asked = [ask_judge(rubric, each, cast=cast, sampling=sampling, seed=seed) for each in cases]
    judgements = [await asked[0]] if len(asked) == 1 else await all_of(*asked)
    return deliberate(dict(zip(seats, judgements, strict=True)), rubric.answer, case.ids, weights=jury.weights)


def deliberate(
    judgements: Mapping[str, JudgeOutcome],
    answer: AnswerFormat,
    ids: Ids = (),
    *,
    weights: Mapping[str, float] = MappingProxyType({}),
) -> JuryResult:
    """The rulings that follow from the judgements of named jurors, in whatever order they came.

    Args:
        judgements: One for each juror, by ROLE/RUN.
        answer: What the rubric asks for: numbers are averaged, words voted on.
        ids: As they were asked; none where one thing was judged.
        weights: What a word of each role counts; 1 where it is not named.
    """
    given = [
        (result, weight)
        # by name, so that the order in which jurors answer changes no ruling
        for juror, result in sorted(judgements.items())
        if isinstance(result, JudgeResult) and (weight := weights.get(juror.partition("/")[0], 1.0)) > 0
    ]
    failed = Counter(result.cause for result in judgements.values() if isinstance(result, Unjudged))
    rulings = tuple(
        _ruling(name, [WeightedOpinion(result.opinions[place], weight) for result, weight in given], answer)
        for place, name in enumerate(ids or ("",))
    )
    events = tuple(event for result in judgements.values() for event in result.events)
    ballots = tuple(WeightedOpinion(result.opinion, weight) for result, weight in given)
    return JuryResult(rulings=rulings, ballots=ballots, asked=len(judgements), failed=dict(failed), events=events)


def tally(ballots: Sequence[WeightedOpinion]) -> dict[str, float]:
    """Weight of each label over some ballots, the greatest first; labels without a ballot are not there."""
    words: dict[str, float] = {}
    for opinion, weight in ballots:
        if opinion.choice is not None:
            words[opinion.choice] = words.get(opinion.choice, 0.0) + weight
    return dict(sorted(words.items(), key=lambda each: -each[1]))


def heaviest(words: Mapping[str, float]) -> str | None:
    """The word that counts most; None where two count the same, or there is none."""
    if not words:
        return None
    first, *others = sorted(words.items(), key=lambda each: -each[1])
    # Weights are floats, whose sums may differ in the last digit by their order.
    return None if others and isclose(others[0][1], first[1]) else first[0]


def _ruling(name: str, ballots: list[WeightedOpinion], answer: AnswerFormat) -> JuryRuling:
    points = [opinion.points for opinion, _ in ballots if opinion.points is not None]
    return JuryRuling(
        id=name,
        outcome=ballots[0].opinion if len(ballots) == 1 else _settle(name, ballots, answer),
        votes=len(ballots),
        variance=variance(points) if len(points) > 1 else None,
    )


def _settle(name: str, ballots: list[WeightedOpinion], answer: AnswerFormat) -> Opinion | Unjudged:
    if not ballots:
        return Unjudged(cause="no juror", events=())
    return _majority(ballots) if answer.options else _mean(name, ballots)


def _mean(name: str, ballots: list[WeightedOpinion]) -> Opinion:
    """The mean score, with the reason of whoever is nearest to it."""
    scored = [(opinion, opinion.points, weight) for opinion, weight in ballots if opinion.points is not None]
    mean = fmean([points for _, points, _ in scored], [weight for _, _, weight in scored])
    nearest, *_ = min(scored, key=lambda each: abs(each[1] - mean))
    return Opinion(id=name, reason=nearest.reason, points=mean)


def _majority(ballots: list[WeightedOpinion]) -> Opinion | Unjudged:
    """The first opinion of those whose word counts most; none where two words count the same."""
    words = tally(ballots)
    most = heaviest(words)
    if most is None:
        says = ", ".join(f"{word} {count:g}" for word, count in words.items())
        return Unjudged(cause="tie", detail=says, events=())
    return next(opinion for opinion, _ in ballots if opinion.choice == most)


class JudgingRate(Struct, frozen=True, kw_only=True):
    """A share with its counts: `hits` of `graded`; what could not be graded is in neither.

    `share` is None where nothing was graded. The 95 % interval is of other answers; judgements of one answer are
    one cluster, so that an answer that is asked about many times counts once.
    """

    name: str
    asked: int
    graded: int
    hits: int
    share: float | None
    interval: Interval

    @property
    def ungraded(self) -> int:
        """Units that the judge could not grade."""
        return self.asked - self.graded


def rate(name: str, units: Iterable[bool | None], answers: int | None = None) -> JudgingRate:
    """The rate of units that are True, None where ungraded.

    Args:
        name: What is counted.
        units: In the order they were judged.
        answers: How many answers there are, all judged in each of several rounds; None for one unit an answer.
    """
    asked = list(units)
    graded = [unit for unit in asked if unit is not None]
    clusters = [number % (answers or len(asked)) for number, unit in enumerate(asked) if unit is not None]
    return JudgingRate(
        name=name,
        asked=len(asked),
        graded=len(graded),
        hits=sum(graded),
        share=sum(graded) / len(graded) if graded else None,
        interval=mean_interval([float(unit) for unit in graded], clusters, seed=Seed("rates")),
    )
