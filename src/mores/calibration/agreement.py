"""Agreement of judges with people, task by task: all that people's labels say of a run's judges.

table of a task ─▶ judges beside people ─▶ people beside people, places, judges beside judges, cases ─▶ tables for a
terminal and a page, plain values for programs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import TypeVar

import numpy as np
from msgspec import Struct, field

from mores.annotation.label_tables import TaskTable, refuse_mixed
from mores.calibration.disagreements import Cases, Causes, Disagreement, cases_of, causes_of
from mores.calibration.group_agreement import GroupAgreement, agreement_by
from mores.calibration.judge_agreement import (
    JudgeAgreement,
    JudgeStability,
    MethodComparison,
    PeopleAgreement,
    compare_with_people,
    improved,
    judge_stability,
    panel_of,
    people_agreement,
)
from mores.core.arrays import Mask, Strings
from mores.core.codec import field_names, is_noun
from mores.core.errors import InputError
from mores.core.estimate import Caution, Estimate, Missing
from mores.core.seeds import Seed
from mores.stats.checks import kish
from mores.stats.cluster_sums import Design, MeasuredFigure
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.panel import Panel
from mores.tables.missing_texts import format_missing, plain_key

_One = TypeVar("_One")
_Found = TypeVar("_Found")


def with_field(
    things: Iterable[_One], make: Callable[[_One], _Found], *, none: str = ""
) -> tuple[tuple[_Found, ...], tuple[str, ...]]:
    """Results of each thing, and the reasons of those without; `none` is the reason where there are no things.

    Raises:
        InputError: nothing is made of any; the first reason.
    """
    found, refused = list[_Found](), list[InputError]()
    for thing in things:
        try:
            found.append(make(thing))
        except InputError as error:
            refused.append(error)
    # one task that carries it is enough; where none does, the first reason stands for all
    if not found and (refused or none):
        raise refused[0] if refused else InputError(none)
    return tuple(found), tuple(map(str, refused))


def estimate_of(found: MeasuredFigure, metric: str, n: int, asked: int | None = None) -> Estimate:
    """A figure of statistics as one of a report, over `n` units of those that were asked."""
    low, high, method, missing = found.interval
    value = None if found.missing else known(found.value)
    return Estimate(
        metric=metric, value=value, low=low, high=high, asked=n if asked is None else asked, graded=n, method=method,
        missing=found.missing or missing,
    )  # fmt: skip


def known(value: float | None) -> float | None:
    """A number; None for one that is not there."""
    return value if value is not None and isfinite(value) else None


def to_dict(noun: object) -> dict[str, object]:
    """A noun for programs, by the names of its fields; a figure is one object with its interval, or why it has none."""
    if isinstance(noun, MeasuredFigure):
        known = noun.missing is None and isfinite(noun.value)
        low, high, method, missing = noun.interval
        return {"value": noun.value if known else None, "low": low, "high": high, "method": method,
                "why": format_missing(noun.missing or missing) or None}  # fmt: skip
    found = {name: getattr(noun, name) for name in field_names(noun)}
    return {plain_key(name, each): _plain(each) for name, each in found.items()}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, Missing):
        return format_missing(value)
    # before tuples, as a figure is one
    if is_noun(value) or isinstance(value, MeasuredFigure):
        return to_dict(value)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value


TOGETHER = "all judges together"
_RARE = 0.05


class LabelCounts(Struct, frozen=True, kw_only=True):
    """Counts of things judged and labelled, labels, and what leaves a labelled thing out of the figures."""

    judged: int
    labelled: int
    labels: int
    people: int
    clusters: int
    compared: int
    tied: int
    unread: int


class TaskAgreement(Struct, frozen=True, kw_only=True):
    """One task: its judges beside people. `together` is the word of all judges, `each` each of them by its first.

    `models` and `splits` are the same figures over parts of the things, where there are several; `repeats` is how
    steady judges are that were asked more than once.
    """

    benchmark: str
    task: str
    options: tuple[str, ...]
    simulated: bool
    judges: dict[str, str]
    counts: LabelCounts
    together: JudgeAgreement
    people: PeopleAgreement
    each: tuple[JudgeAgreement, ...] = ()
    models: tuple[JudgeAgreement, ...] = ()
    splits: tuple[JudgeAgreement, ...] = ()
    places: GroupAgreement | None = None
    languages: GroupAgreement | None = None
    repeats: tuple[JudgeStability, ...] = ()
    jury: Panel | None = None
    before_and_after: MethodComparison | None = None
    cases: Cases | None = None
    causes: Causes | None = None
    warnings: tuple[Caution, ...] = ()

    @property
    def name(self) -> str:
        """Benchmark and task."""
        return f"{self.benchmark} {self.task}"


class Agreements(Struct, frozen=True, kw_only=True):
    """Each task's agreement; `refused` says of which there is none, and why; `causes` are those over several tasks."""

    simulated: bool
    tasks: tuple[TaskAgreement, ...]
    refused: tuple[str, ...] = ()
    causes: Causes | None = None

    def all_cases(self) -> Iterator[Disagreement]:
        """All cases of disagreement, task by task."""
        return _cases(self.tasks)


class AgreementOptions(Struct, frozen=True, kw_only=True):
    """Settings of agreement: `disagreement` is from where on points are a case, `epsilon` the alt-test's."""

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
        """Clusters and seed of a task, and how many things each label stands for."""
        return Design(
            clusters=table.clusters,
            weights=table.sampling_weights,
            seed=Seed(f"mores-agreement-{self.seed}").child(table.name),
        )


def agreements_of(tables: Sequence[TaskTable], options: AgreementOptions) -> Agreements:
    """The agreement of every table that carries it.

    Raises:
        InputError: judges or prompts are mixed, or no table carries any.
    """
    # judges that are mixed end it all, as what was given is wrong; a task without labels is only left out
    for table in tables:
        refuse_mixed(table)
    tasks, refused = with_field(tables, lambda table: agreement_of(table, options))
    simulated = any(task.simulated for task in tasks)
    return Agreements(simulated=simulated, tasks=tasks, refused=refused, causes=_pooled(tasks, options))


def _pooled(tasks: Sequence[TaskAgreement], options: AgreementOptions) -> Causes | None:
    """Causes over all tasks; None where there is one task, or no cause."""
    if len(tasks) < 2 or not options.causes:
        return None
    return causes_of(
        tuple(_cases(tasks)), options.causes, Design(clusters=(), seed=Seed(f"mores-agreement-{options.seed}"))
    )


def _cases(tasks: Sequence[TaskAgreement]) -> Iterator[Disagreement]:
    for task in tasks:
        if task.cases is not None:
            yield from task.cases.cases


def agreement_of(table: TaskTable, options: AgreementOptions | None = None) -> TaskAgreement:
    """All figures of one task that people have labelled.

    Raises:
        InputError: judges or prompts are mixed, people say one and the same word of everything, or nothing can be
            compared.
    """
    options = options or AgreementOptions()
    refuse_mixed(table)
    design = options.design(table)
    together = compare_with_people(table, table.judged, _who(table), design)
    if together is None:
        raise InputError(f"{table.name}: {_nothing(table)}")
    _refuse_one_class(table)
    cases = cases_of(table, design, options.disagreement)
    return TaskAgreement(
        benchmark=table.benchmark,
        task=table.task,
        options=table.options,
        simulated=table.simulated,
        judges=dict(table.specs),
        counts=_counts(table, together),
        together=together,
        people=people_agreement(table, design, options.epsilon),
        each=_each(table, design) if len(table.judges) > 1 else (),
        models=_parts(table, table.models, options),
        splits=_parts(table, table.splits, options),
        places=agreement_by(table, "place", design),
        languages=agreement_by(table, "language", design),
        repeats=judge_stability(table, design),
        jury=panel_of(table),
        before_and_after=improved(table, design),
        cases=cases,
        causes=causes_of(cases.cases, options.causes, design) if cases is not None and options.causes else None,
        warnings=tuple(_warnings(table, together)),
    )


def _who(table: TaskTable) -> tuple[str, str, int]:
    """The name of all judges together, and how often each thing was judged."""
    judges = table.judges
    runs = max((len(row.answers()) for row in table.rows), default=0)
    if len(judges) == 1:
        return judges[0], table.specs.get(judges[0], ""), runs
    return TOGETHER, "", runs


def _each(table: TaskTable, design: Design) -> tuple[JudgeAgreement, ...]:
    found = (
        compare_with_people(table, table.by(judge), (judge, table.specs.get(judge, ""), 1), design)
        for judge in table.judges
    )
    return tuple(each for each in found if each is not None)


def _parts(table: TaskTable, names: Strings, options: AgreementOptions) -> tuple[JudgeAgreement, ...]:
    """The same figures over each part that has a name, where there are several."""
    known = sorted(set(names[table.labelled].tolist()) - {""})
    if len(known) < 2:
        return ()
    parts = ((name, table.at(names == name)) for name in known)
    found = (compare_with_people(part, part.judged, (name, "", 1), options.design(part)) for name, part in parts)
    return tuple(each for each in found if each is not None)


def _counts(table: TaskTable, together: JudgeAgreement) -> LabelCounts:
    labelled: Mask = table.labelled
    return LabelCounts(
        judged=len(table.rows),
        labelled=int(labelled.sum()),
        labels=int(np.isfinite(table.labels).sum()),
        people=len(table.people),
        clusters=int(np.unique(table.clusters[labelled]).size),
        compared=together.n,
        tied=int((labelled & np.isnan(table.truth)).sum()),
        unread=together.unread,
    )


def _nothing(table: TaskTable) -> str:
    if not table.labelled.any():
        return "no label is about it; label some of what was judged: mores judge sample RUN."
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


def _warnings(table: TaskTable, together: JudgeAgreement) -> Iterator[Caution]:
    """Cautions on the labels, to be read before any figure."""
    if together.clusters < MIN_CLUSTERS:
        yield Caution(code="few clusters", n=together.clusters, of=MIN_CLUSTERS)
    elif together.clusters < together.n:
        yield Caution(code="shared clusters", n=together.clusters, of=together.n)
    counts = table.sampling_weights
    if counts is not None:
        own = counts[table.labelled]
        yield Caution(code="weighed", n=round(kish(own)), of=own.size)
    tied = int((table.labelled & np.isnan(table.truth)).sum())
    if tied:
        yield Caution(code="ties", n=tied)
    judged = {option: int((table.truth == code).sum()) for code, option in enumerate(table.options)}
    for option, given in judged.items():
        if 0 < given < _RARE * together.n:
            yield Caution(code="rare", n=given, of=together.n, words=(option,))
    missing = tuple(option for option, given in judged.items() if not given)
    if missing:
        yield Caution(code="unseen", words=missing)
