"""Scoring of a benchmark: each metric with the rows that verdicts become and the way its units go together."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Generic, TypeVar

from msgspec import Struct, field

from mores.analysis.aggregate import Aggregator, estimates, mean
from mores.core.card import Card
from mores.core.code_errors import attempt
from mores.core.errors import InputError
from mores.core.estimate import Estimate, MetricRows, Missing, Scores, failed_in_code
from mores.core.seeds import Seed
from mores.core.verdict_table import VerdictTable

_Source = TypeVar("_Source")


class MetricDefinition(Struct, Generic[_Source], frozen=True):
    """One metric: how verdicts become its rows, and how its units are put together.

    `is_mean` is False where its figure is no mean of its units; `compared` where two models are held against each other
    by it, besides the headline: not where it is only another view of what is compared already. `tasks` are those whose
    verdicts it rests on; `by_value` says that an answer is right by its row, whatever its verdict's points. Of what a
    run has nothing to say, such as people's answers, there are no rows: None.
    """

    rows: Callable[[_Source], MetricRows | Missing | None]
    aggregate: Aggregator = mean
    is_mean: bool = True
    compared: bool = True
    tasks: tuple[str, ...] = ()
    by_value: bool = False


class Scoring(Struct, Generic[_Source], frozen=True):
    """The metrics of a card, and what their rows are read from: verdicts, made ready once for all metrics.

    `also` are metrics that a family scores for its own analyses; they have no figure.

    Raises:
        InputError: the card has a metric that nobody knows how to count.
    """

    card: Card
    measures: Mapping[str, MetricDefinition[_Source]]
    source: Callable[[VerdictTable], _Source]
    also: Mapping[str, MetricDefinition[_Source]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = [metric.name for metric in self.card.metrics if metric.name not in self.measures]
        if unknown:
            raise InputError(f"{self.card.name}: no figure is called {unknown}; the card and the family disagree.")

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks whose verdicts the headline rests on."""
        return self.measures[self.card.headline].tasks

    def score(self, table: VerdictTable) -> Scores:
        """The rows of each metric; of one whose code fails there is why."""
        ordered = {metric.name: self.measures[metric.name] for metric in self.card.metrics}
        return attempt(
            f"the figures of {self.card.name}",
            lambda: scored({**ordered, **self.also}, self.source(table), self.card.headline),
            lambda why: Scores(rows={}, missing=dict.fromkeys(ordered, failed_in_code(why))),
        )

    def rows_of(self, table: VerdictTable) -> MetricRows | None:
        """The rows of the headline alone, that count; None where there are none."""
        found = self.measures[self.card.headline].rows(self.source(table))
        return found.parted()[0] if isinstance(found, MetricRows) else None

    def estimates(self, scores: Scores, seed: Seed) -> tuple[Estimate, ...]:
        """All figures of some scores, the headline first."""
        ways = {name: measure.aggregate for name, measure in self.measures.items()}
        return estimates(scores, self.card, seed.child("intervals", self.card.name), ways)


def _rows(name: str, make: Callable[[], MetricRows | Missing | None]) -> MetricRows | Missing | None:
    """The rows of one metric, or that they could not be made."""
    return attempt(f"the figure '{name}'", make, failed_in_code)


def scored(measures: Mapping[str, MetricDefinition[_Source]], source: _Source, headline: str) -> Scores:
    """The rows of each metric, in the order of the metrics."""
    found = {name: _rows(name, partial(measure.rows, source)) for name, measure in measures.items()}
    parted = {name: each.parted() for name, each in found.items() if isinstance(each, MetricRows)}
    rows = {name: counting for name, (counting, _) in parted.items()}
    means = frozenset(name for name in rows if measures[name].is_mean)
    return Scores(
        rows=rows,
        missing={name: each for name, each in found.items() if isinstance(each, Missing)},
        means=means,
        compared=tuple(name for name in rows if name != headline and name in means and measures[name].compared),
        tasks=measures[headline].tasks if headline in measures else (),
        by_value=headline in measures and measures[headline].by_value,
        separate={name: separate for name, (_, separate) in parted.items() if separate is not None},
    )
