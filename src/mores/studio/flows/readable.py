"""Items that a flow can read, and those that it cannot: these are left out, and told of, and take no page with them."""

from collections.abc import Callable
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

from mores.core.errors import MoresError
from mores.studio.flows.fields import ItemForm
from mores.studio.flows.flow import Flow, Payload
from mores.studio.models import AuditEvent, Project
from mores.studio.work.audit import record
from mores.studio.work.records import ItemRecord

UNREADABLE = (MoresError, AttributeError, LookupError, TypeError, ValueError)
"""Errors of a flow whose item, or an answer to it, is of another shape than it reads."""


T = TypeVar("T")
Items = tuple[ItemRecord, ...]


class Built(NamedTuple, Generic[T]):
    """Value made of items, and the items that it could not be made of."""

    value: T
    unreadable: Items


def sheet_of(flow: Flow, payload: Payload, project: Project) -> ItemForm | Exception:
    """Form of an item as a person sees it, or the error by which the flow cannot show it."""
    try:
        return flow.sheet(payload, project)
    except UNREADABLE as error:
        return error


def built(flow: Flow, project: Project, items: Items, build: Callable[[Items], T]) -> Built[T]:
    """Value made of all items, or else of all but those that it cannot be made of."""
    try:
        return Built(build(items), ())
    except UNREADABLE:
        shown = tuple(item for item in items if not isinstance(sheet_of(flow, item.payload, project), Exception))
        lost = {item.number for item in _lost(build, shown)}
        kept = tuple(item for item in shown if item.number not in lost)
        numbers = {item.number for item in kept}
        return Built(build(kept), tuple(item for item in items if item.number not in numbers))


def _lost(build: Callable[[Items], object], items: Items) -> Items:
    """Those of items that nothing can be made of, looked for by halves."""
    try:
        build(items)
    except UNREADABLE:
        middle = len(items) // 2
        return items if len(items) < 2 else _lost(build, items[:middle]) + _lost(build, items[middle:])
    return ()


NOT_SHOWN, NO_OUTCOME, KEPT_BACK = "not shown", "no outcome", "kept back"
"""Events: somebody came to an item that cannot be shown; it has its answers and no outcome; it does not go on."""


def report(project: int, what: str, item: str, why: str, *, at: datetime) -> None:
    """Tell of an item in the audit trail, once, within a transaction; `why` is no word of people."""
    before = AuditEvent.objects.filter(chain=project, what=what, about__item=item, about__why=why)
    if not before.exists():
        record(project, what, {"item": item, "why": why}, who=None, at=at)


def reported(project: Project) -> list[AuditEvent]:
    """Events that tell of items, in their order."""
    events = AuditEvent.objects.filter(chain=project.pk, what__in=(NOT_SHOWN, NO_OUTCOME, KEPT_BACK))
    return list(events.order_by("number"))
