"""Disagreements of judge and people: the single cases, and the causes that people find for them.

labelled things ─▶ those on which judge and people are apart ─▶ a file for people to code causes in ─▶ shares of causes.
In the file a case stands with the words that were judged, what people said and what judges said with their reasons:
whoever codes causes has to know both. The model that answered is not named.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from mores.annotation.judged_items import JudgedItem, LabelQuestion, questions_of
from mores.annotation.label_tables import TaskTable
from mores.benchmarks.data_tables import read_table
from mores.core.codec import encode_lines
from mores.core.codes import RowCodes, row_code
from mores.core.errors import InputError
from mores.core.estimate import pools
from mores.core.files import refuse_taken, write_new
from mores.core.table import plain_cell, sheet
from mores.core.verdict import JudgedUnit
from mores.stats.cluster_sums import Design, MeasuredFigure, share

COLUMNS = ("case", "benchmark", "task", "item", "sample", "step", "norm", "place", "words", "people", "judges", "apart",
           "cause", "note")  # fmt: skip
_NOT_ASKED = "(Nobody was asked about this: it was worked out of other judgements.)"


class Disagreement(Struct, frozen=True, kw_only=True):
    """One thing on which judge and people are apart; `id` names it in files, whichever labels come in later.

    `people` and `judges` are what each said, judges with their reasons, in order; `difference` is judge less people for
    points.
    """

    id: str
    judged: JudgedItem
    people: tuple[tuple[str, str], ...]
    judges: tuple[tuple[str, str, str], ...]
    people_label: str
    judge_label: str
    difference: float | None = None

    @property
    def thing(self) -> JudgedUnit:
        """Unit that was judged."""
        return self.judged.thing

    @property
    def reason(self) -> str:
        """A reason of a judge that says the same as all together, else of any; empty where none gave one."""
        own = next((reason for _, judged, reason in self.judges if judged == self.judge_label and reason), "")
        return own or next((reason for *_, reason in self.judges if reason), "")


class DisagreementCause(Struct, frozen=True, kw_only=True):
    """One cause that people gave, and its share of the cases that were coded."""

    cause: str
    n: int
    share: MeasuredFigure


class Causes(Struct, frozen=True, kw_only=True):
    """All causes of the cases that were coded, the most frequent first; `open` counts those without one."""

    coded: int
    open: int
    causes: tuple[DisagreementCause, ...]


class Cases(Struct, frozen=True, kw_only=True):
    """All cases of a task, the furthest apart and the clearest to people first; `share` is theirs of what was compared.

    `threshold` is how far apart points are at least; None for words.
    """

    n: int
    cases: tuple[Disagreement, ...]
    share: MeasuredFigure
    threshold: float | None


def cases_of(table: TaskTable, design: Design, threshold: float) -> Cases | None:
    """The cases of one task: another word than people's, or points so far from theirs; None where nothing compares."""
    both = table.compared
    if not both.any():
        return None
    difference = np.where(both, table.judged - table.truth, 0.0)
    # points that lie just so far apart count, whatever rounding took from them
    far = both & ((difference != 0) if table.options else (np.abs(difference) >= threshold - 1e-9))
    chosen = sorted(np.flatnonzero(far).tolist(), key=lambda row: _order(table, row, float(difference[row])))
    of = share(far[both], design.part(both, "cases"), "cases")
    limit = None if table.options else threshold
    return Cases(
        n=len(chosen),
        cases=tuple(_case(table, row, float(difference[row])) for row in chosen),
        share=of,
        threshold=limit,
    )


def _order(table: TaskTable, row: int, difference: float) -> tuple[float, float, str]:
    """Furthest apart first, then those on which people are most of one mind."""
    given = table.labels[row][np.isfinite(table.labels[row])]
    alike = float((given == table.truth[row]).sum())
    return (-abs(difference) if not table.options or table.ordered else 0.0, -alike, str(table.rows[row].thing))


def _case(table: TaskTable, row: int, difference: float) -> Disagreement:
    judged = table.rows[row]
    people = tuple(
        (name, _format_value(table, label))
        for name, label in zip(table.people, table.labels[row].tolist(), strict=True)
        if np.isfinite(label)
    )
    judges = tuple(
        (
            judge,
            answer.label or ("" if answer.points is None else _points(answer.points)) or answer.cause,
            answer.reason,
        )
        for judge in judged.votes
        for answer in judged.answers(judge)
    )
    return Disagreement(
        id=case_id(judged),
        judged=judged,
        people=people,
        judges=judges,
        people_label=_format_value(table, float(table.truth[row])),
        judge_label=_format_value(table, float(table.judged[row])),
        difference=None if table.options else difference,
    )


def case_id(judged: JudgedItem) -> str:
    """The name of a case in files: of whose answer, to what, and which task."""
    return row_code([judged.evaluation.model, judged.evaluation.benchmark, list(judged.thing)])


def _format_value(table: TaskTable, value: float) -> str:
    return table.options[round(value)] if table.options else _points(value)


def _points(value: float) -> str:
    """Points as they stand in a file of cases."""
    return f"{value:.2f}".replace("-", "−")


def causes_of(cases: Sequence[Disagreement], causes: Mapping[str, str], design: Design) -> Causes | None:
    """Shares of causes among the cases that have one; None where no case has.

    Args:
        cases: Of a task, or of all.
        causes: By the case's id.
        design: Whose clusters, confidence and seed are taken; it is of other units.
    """
    coded = [case for case in cases if case.id in causes]
    if not coded:
        return None
    folded = [causes[case.id].casefold() for case in coded]
    # backwards, so that of several spellings the first one stays
    names, first = Counter(folded), {causes[case.id].casefold(): causes[case.id] for case in reversed(coded)}
    # clusters of several benchmarks may bear one name, and are not one
    pool = pools(case.judged.cluster for case in coded)
    own = Design(
        clusters=[f"{case.judged.evaluation.benchmark} {pool[case.judged.cluster]}" for case in coded],
        confidence=design.confidence, resamples=design.resamples, seed=design.seed.child("causes"),
    )  # fmt: skip
    found = tuple(
        DisagreementCause(cause=first[name], n=count, share=share([cause == name for cause in folded], own, name))
        for name, count in sorted(names.items(), key=lambda pair: (-pair[1], pair[0]))
    )
    return Causes(coded=len(coded), open=len(cases) - len(coded), causes=found)


def write_cases(path: Path, cases: Sequence[Disagreement]) -> None:
    """Put all cases into a new file, as JSON Lines where its name ends so, else as CSV; the column `cause` is empty.

    Raises:
        InputError: the file is there already, or what judges were asked cannot be put together any more.
    """
    refuse_taken(path, "--cases")
    rows = list(_rows(cases))
    if path.suffix == ".jsonl":
        write_new(path, encode_lines(rows))
        return
    # a number of our own may begin with its sign
    cells = ([row[name] if name == "apart" else plain_cell(row[name]) for name in COLUMNS] for row in rows)
    write_new(path, sheet(COLUMNS, cells))


def _rows(cases: Sequence[Disagreement]) -> Iterator[dict[str, str]]:
    words = _words(cases)
    for case in cases:
        where = {name: "" if value is None else str(value) for name, value in case.thing._asdict().items()}
        yield {
            "case": case.id,
            "benchmark": case.judged.evaluation.benchmark,
            "task": case.thing.task,
            **where,
            "place": case.judged.place,
            "words": words[case.id],
            "people": "; ".join(f"{name}: {judged}" for name, judged in case.people),
            "judges": "\n".join(f"{who}: {judged}{f' – {why}' if why else ''}" for who, judged, why in case.judges),
            "apart": "" if case.difference is None else f"{case.difference:.3f}",
            "cause": "",
            "note": "",
        }


def _words(cases: Sequence[Disagreement]) -> dict[str, str]:
    """Question of each case in words for people, by its id."""
    by_cell: dict[Path, list[Disagreement]] = {}
    for case in cases:
        by_cell.setdefault(case.judged.evaluation.folder, []).append(case)
    found = {}
    for own in by_cell.values():
        cell = own[0].judged.evaluation
        asked: dict[tuple[str, int], list[LabelQuestion]] = {}
        for question in questions_of(cell.run, cell.folder, {case.thing.item for case in own}):
            asked.setdefault((question.thing.item, question.thing.sample), []).append(question)
        found.update({case.id: _asked(case, asked.get((case.thing.item, case.thing.sample), [])) for case in own})
    return found


def _asked(case: Disagreement, questions: Sequence[LabelQuestion]) -> str:
    """The question about a case; where there is none, one about the same answer, which has its words."""
    exact = next((question for question in questions if question.thing == case.thing), None)
    if exact is not None:
        return exact.words
    near = min(questions, key=lambda question: question.thing.norm != case.thing.norm, default=None)
    return _NOT_ASKED if near is None else f"{_NOT_ASKED}\n\n{near.words}"


def read_causes(path: Path, known: Collection[str]) -> dict[str, str]:
    """The cause of each case that has one.

    Raises:
        InputError: the file cannot be read, a case is unknown or stands twice, or none has a cause.
    """
    found: dict[str, str] = {}
    seen: dict[str, str] = {}
    codes = RowCodes(known)
    for row in read_table(path, ("case", "cause")):
        text, cause = row.cells["case"].strip(), " ".join(row.cells["cause"].split())
        name = codes.find(text)
        if name is None:
            raise InputError(
                f"{row.where}: '{text}' is no case of these runs and labels; expected one of the {len(known)} that "
                "--cases writes, by the same labels and --disagreement."
            )
        case = name.code
        if case in seen:
            raise InputError(f"{row.where}: the case '{case}' stands twice (first {seen[case]}); expected once.")
        seen[case] = row.where
        if cause:
            found[case] = cause
    if not found:
        raise InputError(f"{path}: no row has a cause; expected words of your own in the column 'cause'.")
    return found
