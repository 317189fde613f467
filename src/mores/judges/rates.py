"""How often something happened in judging, of what was graded."""

from collections.abc import Iterable
from dataclasses import dataclass

from mores.core.seeds import Seed
from mores.stats.intervals import Interval, mean_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingRate:
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
