"""Training items and attention checks: what is expected of them, read from a row, and whether an answer is right.

Any flow's file may have the columns `kind` (training or attention), `expected` (the value of its first question;
several are parted by |) and `feedback` (words that are shown after a training item).
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import median

import msgspec

from mores.benchmarks.data_tables import DataRow
from mores.core.errors import InputError
from mores.stats.intervals import Interval, wilson
from mores.studio.flows.fields import ChoiceField, ItemForm
from mores.studio.models import Assignment, ItemKind, ItemState, Participant, Project, Response
from mores.studio.work.exclusion import exclude, was_readmitted
from mores.studio.work.items import EXPECTED, FEEDBACK, NewItem

TAUGHT = (ItemKind.TRAINING.value, ItemKind.ATTENTION.value)


def with_expected(item: NewItem, row: DataRow, sheet: Callable[[NewItem], ItemForm]) -> NewItem:
    """The item with its kind and what is expected of it; as it is where its row says nothing.

    Raises:
        InputError: there is no such kind, or what is expected cannot be answered.
    """
    kind = row.cells.get("kind", "").strip().casefold()
    if kind in {"", ItemKind.WORK.value}:
        return item
    if kind not in TAUGHT:
        raise InputError(f"{row.where}: kind is '{kind}'; expected {' or '.join(TAUGHT)}, or nothing.")
    field = next((each for each in sheet(item).fields if isinstance(each, ChoiceField)), None)
    if field is None:
        raise InputError(f"{row.where}: nothing is chosen in it; expected an item with options.")
    given = [part.strip() for part in row.cells.get("expected", "").split("|") if part.strip()]
    known = [option.value for option in field.options]
    if not given or not set(given) <= set(known) or (len(given) > 1 and not field.several):
        raise InputError(f"{row.where}: expected is '{'|'.join(given)}'; expected one of {', '.join(known)}.")
    value = sorted(given, key=known.index) if field.several else given[0]
    facts = {EXPECTED: {field.name: value}, FEEDBACK: row.cells.get("feedback", "").strip()}
    return msgspec.structs.replace(item, kind=ItemKind(kind), key_facts=facts)


def is_right(answer: Mapping[str, object], facts: Mapping[str, object]) -> bool:
    """True if an answer is the expected one."""
    expected = facts.get(EXPECTED)
    return isinstance(expected, Mapping) and all(answer.get(name) == value for name, value in expected.items())


Kind = ItemKind


class AttentionRate(msgspec.Struct, frozen=True, kw_only=True):
    """Number of right answers of n."""

    right: int
    n: int

    @property
    def interval(self) -> Interval:
        """95% interval of the share (Wilson); none, with the reason, where n is 0."""
        return wilson(self.right, self.n)


class AnswerRuns(msgspec.Struct, frozen=True, kw_only=True):
    """Longest runs of answers to work: quicker than the project's seconds, and at the same place among the options."""

    quick: int
    same: int


class AnnotatorQuality(msgspec.Struct, frozen=True, kw_only=True):
    """Quality of one person's work: rates, answers that are data, and the median seconds on `timed` of these."""

    training: AttentionRate
    attention: AttentionRate
    answers: int
    seconds: float | None
    timed: int
    runs: AnswerRuns


def quality_of(participant: int) -> AnnotatorQuality:
    """Quality of somebody's work, by the newest version of each answer; those of who is excluded are among them."""
    given = _given(participant)
    work = [response for response in given if response.assignment.item.kind == Kind.WORK]
    times = [response.active_ms / 1000 for response in work if response.active_ms is not None]
    return AnnotatorQuality(
        training=_rate(_of(given, Kind.TRAINING)), attention=_rate(_of(given, Kind.ATTENTION)), answers=len(work),
        seconds=median(times) if times else None, timed=len(times), runs=runs_of(participant),
    )  # fmt: skip


def exclude_by_rule(participant: int) -> bool:
    """Exclude somebody who had too few of their newest attention checks right; whether they are excluded by this.

    Whom a person let back in stays in.
    """
    person = Participant.objects.select_related("project").get(pk=participant)
    judged, needed = person.project.checks_judged, person.project.checks_right
    # Guarded, as a slice from -0 on would be all of them.
    newest = _of(_given(participant), Kind.ATTENTION)[-judged:] if judged else []
    rate = _rate(newest)
    if not judged or rate.n < judged or rate.right >= needed or was_readmitted(person):
        return False
    why = {"reason": "attention checks", "right": rate.right, "of": judged, "needed": needed}
    return exclude(participant, why, who=None)


def runs_of(participant: int) -> AnswerRuns:
    """Longest runs of somebody, by the first version of each answer, in the order in which they were given."""
    project = Participant.objects.select_related("project").get(pk=participant).project
    first = Response.objects.filter(
        assignment__participant=participant, assignment__item__kind=Kind.WORK, version=1,
        assignment__status__in=Assignment.ANSWERED,
    )  # fmt: skip
    given = list(first.select_related("assignment").order_by("pk"))
    places = [_places(each) for each in given]
    same = [place is not None and number > 0 and place == places[number - 1] for number, place in enumerate(places)]
    return AnswerRuns(
        quick=_longest([_seconds(each) < project.quick_seconds for each in given]),
        same=_longest(same) + any(place is not None for place in places),
    )


def _seconds(response: Response) -> float:
    """Time on task; without scripts, since the item was given."""
    if response.active_ms is not None:
        return response.active_ms / 1000
    return (response.at - response.assignment.claimed_at).total_seconds()


def _places(response: Response) -> dict[str, list[int]] | None:
    """Places of what was chosen among the options as they stood; None where nothing is known of these."""
    if not response.order:
        return None
    answer = response.answer
    chosen = {name: answer.get(name) for name in response.order}
    values = {name: value if isinstance(value, list) else [value] for name, value in chosen.items()}
    return {name: [place for place, each in enumerate(order) if each in values[name]]
            for name, order in response.order.items()}  # fmt: skip


def _longest(held: Sequence[bool]) -> int:
    """Longest run of what is true."""
    longest = run = 0
    for each in held:
        run = run + 1 if each else 0
        longest = max(longest, run)
    return longest


def rule_after(project: Project, kind: str) -> Callable[[int], bool] | None:
    """Rule by which somebody may be excluded once they answered an item of a kind; None for none."""
    match kind:
        case Kind.ATTENTION:
            return exclude_by_rule
        case Kind.TRAINING if project.training_right:
            return exclude_by_training
        case Kind.WORK if project.run_excludes:
            return exclude_by_runs
    return None


def exclude_by_runs(participant: int) -> bool:
    """Exclude somebody who gave too many quick answers, or answers at one place, in a row, by the project's rule."""
    person = Participant.objects.select_related("project").get(pk=participant)
    project = person.project
    if not project.run_excludes or was_readmitted(person):
        return False
    runs = runs_of(participant)
    if 0 < project.quick_run <= runs.quick:
        why = {"reason": "quick", "run": runs.quick, "seconds": project.quick_seconds}
    elif 0 < project.same_run <= runs.same:
        why = {"reason": "same", "run": runs.same}
    else:
        return False
    return exclude(participant, why, who=None)


def exclude_by_training(participant: int) -> bool:
    """Exclude somebody who has answered all training and had less of it right than the project asks for."""
    person = Participant.objects.select_related("project").get(pk=participant)
    needed = person.project.training_right
    rate = _rate(_of(_given(participant), Kind.TRAINING))
    all_of_it = person.project.items.filter(kind=Kind.TRAINING, state=ItemState.OPEN).count()
    if not needed or rate.n < all_of_it or rate.right >= needed or was_readmitted(person):
        return False
    return exclude(participant, {"reason": "training", "right": rate.right, "of": rate.n, "needed": needed}, who=None)


def _given(participant: int) -> list[Response]:
    """The newest version of each answer, in the order in which items were first answered."""
    answered = Assignment.objects.filter(participant=participant, status__in=Assignment.ANSWERED)
    versions = Response.objects.filter(assignment__in=answered, assignment__redaction=None).select_related(
        "assignment__item__sealed"
    )
    # A dict keeps the place of a first version and the value of the last one, which is the order that is promised.
    newest = {response.assignment_id: response for response in versions.order_by("pk")}
    return list(newest.values())


def _of(given: Sequence[Response], kind: ItemKind) -> list[Response]:
    return [response for response in given if response.assignment.item.kind == kind]


def _rate(given: Sequence[Response]) -> AttentionRate:
    return AttentionRate(
        right=sum(is_right(each.answer, each.assignment.item.sealed.facts) for each in given), n=len(given)
    )
