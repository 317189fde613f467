"""How far judges agree with people, task by task: all that people's labels say of a run's judges.

table of a task ─▶ judges beside people ─▶ people beside people, places, judges beside judges, cases ─▶ lines and grids
for a terminal and a page, plain values for programs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.people.mixing import refuse_mixed
from mores.people.tables import TaskTable
from mores.reports.trust.agreement_judges import (
    Asked,
    Improved,
    asked_again,
    improved,
    panel_of,
    plain_panel,
    told_panel,
)
from mores.reports.trust.agreement_pair import Beside, Mask, beside, headline, side_by_side
from mores.reports.trust.agreement_words import Grid, counted
from mores.reports.trust.cases import Cases, Causes, cases_of, causes_of
from mores.reports.trust.people import PeopleAgreement, people_agreement
from mores.reports.trust.places import Places, places_of
from mores.stats import Design, Panel
from mores.stats.intervals import FEWEST

TOGETHER = "all judges together"
_RARE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What there is: things judged and labelled, labels, and what leaves a labelled thing out of the figures."""

    judged: int
    labelled: int
    labels: int
    people: int
    clusters: int
    compared: int
    tied: int
    unread: int

    def line(self) -> str:
        """All of it in a sentence."""
        left = [
            told
            for count, told in (
                (self.tied, f"{self.tied:,} left out as people tie"),
                (self.unread, f"{self.unread:,} as no judge's word can be read, or judges tie"),
            )
            if count
        ]
        given = f"{counted(self.labels, 'label')} by {counted(self.people, 'person', 'people')}"
        of = f"{self.labelled:,} of {counted(self.judged, 'judged thing')} in {counted(self.clusters, 'cluster')}"
        return f"{'; '.join((f'{given} on {of}', *left))}."


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAgreement:
    """One task: its judges beside people. `together` is the word of all judges, `judges` each of them by its first.

    `models` and `splits` are the same figures over parts of the things, where there are several; `asked` is how
    steady judges are that were asked more than once.
    """

    benchmark: str
    task: str
    options: tuple[str, ...]
    simulated: bool
    specs: dict[str, str]
    counts: Counts
    together: Beside
    people: PeopleAgreement
    judges: tuple[Beside, ...] = ()
    models: tuple[Beside, ...] = ()
    splits: tuple[Beside, ...] = ()
    places: Places | None = None
    asked: tuple[Asked, ...] = ()
    panel: Panel | None = None
    improved: Improved | None = None
    cases: Cases | None = None
    causes: Causes | None = None
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Benchmark and task."""
        return f"{self.benchmark} {self.task}"

    @property
    def judged_by(self) -> str:
        """The judges' models."""
        return ", ".join(dict.fromkeys(self.specs.values()))

    def lines(self) -> Iterator[str]:
        """What is to be known first, a sentence each."""
        yield f"{self.judged_by} against people{' (simulated)' if self.simulated else ''}: {headline(self.together)}."
        yield self.counts.line()
        yield from self.warnings
        yield from self.people.lines()
        yield from (each.line() for each in self.asked)
        if not self.asked:
            yield "Each judge was asked once: mores judge RUN --judge SPEC --samples 5 shows how often it flips."
        if self.panel is not None:
            yield told_panel(self.panel, [each.who for each in self.judges])
        if self.improved is not None:
            yield from self.improved.lines()
        if self.places is not None:
            yield from self.places.lines()
        if self.cases is not None:
            yield from self.cases.lines()

    def grids(self) -> Iterator[Grid]:
        """All figures as tables."""
        yield from self.together.grids()
        yield from self.people.grids()
        for title, parts in (("Each judge, by its first word", self.judges), ("Model by model", self.models),
                             ("Split by split", self.splits)):  # fmt: skip
            if parts:
                yield side_by_side(parts, title)
        if self.improved is not None:
            yield self.improved.grid()
        if self.places is not None:
            yield from self.places.grids()
        if self.causes is not None:
            yield self.causes.grid()

    def plain(self) -> dict[str, object]:
        """All of it for programs."""
        return {
            "benchmark": self.benchmark,
            "task": self.task,
            "options": list(self.options) or None,
            "simulated": self.simulated,
            "judges": self.specs,
            "counts": {name: getattr(self.counts, name) for name in Counts.__slots__},
            "warnings": list(self.warnings),
            "together": self.together.plain(),
            "each": [each.plain() for each in self.judges],
            "models": [each.plain() for each in self.models],
            "splits": [each.plain() for each in self.splits],
            "people": self.people.plain(),
            "places": None if self.places is None else self.places.plain(),
            "repeats": [each.plain() for each in self.asked],
            "jury": None if self.panel is None else plain_panel(self.panel, [each.who for each in self.judges]),
            "before_and_after": None if self.improved is None else self.improved.plain(),
            "cases": None if self.cases is None else self.cases.plain(),
            "causes": None if self.causes is None else self.causes.plain(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How agreement is worked out: `disagreement` is from where on points are a case, `epsilon` the alt-test's."""

    disagreement: float = 0.5
    epsilon: float = 0.2
    seed: int = 0
    causes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuses numbers that mean nothing.

        Raises:
            InputError: a number is outside its range.
        """
        if not 0 < self.disagreement <= 1:
            raise InputError(f"--disagreement {self.disagreement:g}: expected points above 0 and up to 1.")
        if not 0 <= self.epsilon < 1:
            raise InputError(f"--epsilon {self.epsilon:g}: expected a number from 0 to below 1, such as 0.2.")

    def design(self, table: TaskTable) -> Design:
        """Clusters and dice of a task, and how many things each label stands for."""
        return Design(
            clusters=table.clusters,
            weights=table.stand_for,
            seed=Seed(f"mores-agreement-{self.seed}").child(table.name),
        )


def agreement_of(table: TaskTable, wish: Wish | None = None) -> TaskAgreement:
    """All figures of one task that people have labelled.

    Raises:
        InputError: judges or prompts are mixed, people say one and the same word of everything, or nothing can be
            compared.
    """
    wish = wish or Wish()
    refuse_mixed(table)
    design, specs = wish.design(table), dict(table.rows[0].cell.judges)
    together = beside(table, table.said, _who(table), design)
    if together is None:
        raise InputError(f"{table.name}: {_nothing(table)}")
    _refuse_one_class(table)
    cases = cases_of(table, design, wish.disagreement)
    return TaskAgreement(
        benchmark=table.benchmark,
        task=table.task,
        options=table.options,
        simulated=table.simulated,
        specs=specs,
        counts=_counts(table, together),
        together=together,
        people=people_agreement(table, design, wish.epsilon),
        judges=_each(table, design) if len(table.judges) > 1 else (),
        models=_parts(table, table.models, wish),
        splits=_parts(table, np.array(table.splits, dtype=np.str_), wish),
        places=places_of(table, design),
        asked=asked_again(table, design),
        panel=panel_of(table),
        improved=improved(table, design),
        cases=cases,
        causes=causes_of(cases.cases, wish.causes, design) if cases is not None and wish.causes else None,
        warnings=tuple(_warnings(table, together)),
    )


def _who(table: TaskTable) -> tuple[str, str, int]:
    """The name of all judges together, and how often each thing was judged."""
    judges = table.judges
    runs = max((len(row.said()) for row in table.rows), default=0)
    if len(judges) == 1:
        return judges[0], table.rows[0].cell.judges.get(judges[0], ""), runs
    return TOGETHER, "", runs


def _each(table: TaskTable, design: Design) -> tuple[Beside, ...]:
    specs = table.rows[0].cell.judges
    found = (beside(table, table.by(judge), (judge, specs.get(judge, ""), 1), design) for judge in table.judges)
    return tuple(each for each in found if each is not None)


def _parts(table: TaskTable, names: np.ndarray[tuple[int], np.dtype[np.str_]], wish: Wish) -> tuple[Beside, ...]:
    """The same figures over each part that has a name, where there are several."""
    known = sorted(set(names[table.labelled].tolist()) - {""})
    if len(known) < 2:
        return ()
    found = []
    for name in known:
        part = table.at(names == name)
        found.append(beside(part, part.said, (name, "", 1), wish.design(part)))
    return tuple(each for each in found if each is not None)


def _counts(table: TaskTable, together: Beside) -> Counts:
    labelled: Mask = table.labelled
    return Counts(
        judged=len(table.rows),
        labelled=int(labelled.sum()),
        labels=int(np.isfinite(table.labels).sum()),
        people=len(table.people),
        clusters=int(np.unique(table.clusters[labelled]).size),
        compared=together.units,
        tied=int((labelled & np.isnan(table.truth)).sum()),
        unread=together.unread,
    )


def _nothing(table: TaskTable) -> str:
    if not table.labelled.any():
        return "no label is about it; label some of what was judged: mores agreement sample RUN."
    if np.isnan(table.truth).all():
        return f"people tie on all {int(table.labelled.sum())} labelled things; a third person can decide."
    return f"no judge's word can be read on any of {int(table.labelled.sum())} labelled things, or judges tie."


def _refuse_one_class(table: TaskTable) -> None:
    """Refuse labels that say the same of everything: how a judge does on the other words cannot be seen in them."""
    given = table.truth[np.isfinite(table.truth)]
    if table.options and np.unique(given).size == 1:
        word = table.options[round(float(given[0]))]
        raise InputError(
            f"{table.name}: people say '{word}' of all {given.size} labelled things; expected two of "
            f"{', '.join(table.options)} at least: label more things, as agreement beyond chance needs both."
        )


def _warnings(table: TaskTable, together: Beside) -> Iterator[str]:
    """What the reader has to know of the labels before any figure."""
    if together.clusters < FEWEST:
        yield f"Too few: {counted(together.clusters, 'cluster')}, and an interval needs {FEWEST}."
    elif together.clusters < together.units:
        yield "Things of one cluster are no independent ones: intervals are over clusters."
    counts = table.stand_for
    if counts is not None:
        own = counts[table.labelled]
        worth = own.sum() ** 2 / (own**2).sum()
        yield f"Each label counts for the things that it was drawn among: {own.size:,} are worth {worth:.0f} alike."
    elif table.chances is None and any(table.ids) and np.ptp(_lengths(table)) > 0:
        yield (
            "The sample of an older mores has no chances, so labels count alike: figures are of one thing of each "
            "episode, not of all things."
        )
    tied = int((table.labelled & np.isnan(table.truth)).sum())
    if tied:
        yield "Things on which people tie are the hard ones: agreement on the others flatters the judge."
    for code, option in enumerate(table.options):
        given = int((table.truth == code).sum())
        if 0 < given < _RARE * together.units:
            yield f"Rare: people say '{option}' of {given}, and kappa falls with rarity; see AC1 and its recall."
    missing = [option for code, option in enumerate(table.options) if not (table.truth == code).any()]
    if missing:
        yield f"Nothing that people call {' or '.join(missing)}: how the judge does there is not known."


def _lengths(table: TaskTable) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """How many things each episode has."""
    return np.unique(table.clusters, return_counts=True)[1]
