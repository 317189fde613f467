"""How people do: training and attention checks they had right, time on task, and the project's rule of exclusion."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from mores.stats.intervals import Interval, wilson
from mores.studio.flows.check_items import is_right
from mores.studio.models import Assignment, Item, Participant, Response
from mores.studio.work.exclusion import exclude, was_readmitted

Kind = Item.Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionRate:
    """How many of n answers were right."""

    right: int
    n: int

    @property
    def interval(self) -> Interval:
        """95% interval of the share (Wilson); none, with the reason, where n is 0."""
        return wilson(self.right, self.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorQuality:
    """How one person does: rates, answers that are data, and the median seconds on `timed` of these."""

    training: AttentionRate
    attention: AttentionRate
    answers: int
    seconds: float | None
    timed: int


def standing(participant: int) -> AnnotatorQuality:
    """How somebody does, by the newest version of each answer; those of who is excluded are among them."""
    given = _given(participant)
    work = [response for response in given if response.assignment.item.kind == Kind.WORK]
    times = [response.active_ms / 1000 for response in work if response.active_ms is not None]
    return AnnotatorQuality(
        training=_rate(_of(given, Kind.TRAINING)), attention=_rate(_of(given, Kind.ATTENTION)), answers=len(work),
        seconds=median(times) if times else None, timed=len(times),
    )  # fmt: skip


def exclude_by_rule(participant: int) -> bool:
    """Exclude somebody who had too few of their newest attention checks right; whether they are excluded by this.

    Whom a person let back in stays in.
    """
    person = Participant.objects.select_related("project").get(pk=participant)
    judged, needed = person.project.checks_judged, person.project.checks_right
    newest = _of(_given(participant), Kind.ATTENTION)[-judged:] if judged else []
    rate = _rate(newest)
    if not judged or rate.n < judged or rate.right >= needed or was_readmitted(person):
        return False
    why = {"reason": "attention checks", "right": rate.right, "of": judged, "needed": needed}
    return exclude(participant, why, who=None)


def _given(participant: int) -> list[Response]:
    """The newest version of each answer, in the order in which items were first answered."""
    answered = Assignment.objects.filter(participant=participant, status__in=Assignment.ANSWERED)
    versions = Response.objects.filter(assignment__in=answered).select_related("assignment__item__sealed")
    newest = {response.assignment_id: response for response in versions.order_by("pk")}
    return list(newest.values())


def _of(given: Sequence[Response], kind: Item.Kind) -> list[Response]:
    return [response for response in given if response.assignment.item.kind == kind]


def _rate(given: Sequence[Response]) -> AttentionRate:
    return AttentionRate(
        right=sum(is_right(each.answer, each.assignment.item.sealed.facts) for each in given), n=len(given)
    )
