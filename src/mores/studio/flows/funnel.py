"""From written to kept: how many questions came through each step, over a project and those that feed it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from mores.studio.flows.flow import flow_named
from mores.studio.flows.item_keys import key_before, key_onward
from mores.studio.models import ItemKind, ItemState, Project, WorkItem


class Funnel(msgspec.Struct, frozen=True, kw_only=True):
    """Questions at each step: written, looked at by a curator, accepted, imported beside them, answered by all, kept.

    A question that was put to a finer group too is one, kept where any of its rounds kept it. `dropped` counts the
    reasons of the curator and of the answers.
    """

    written: int
    curated: int
    accepted: int
    imported: int
    answered: int
    kept: int
    dropped: dict[str, int]


def funnel(project: Project) -> Funnel:
    """The funnel that a project stands in.

    Of a project in which questions are written, what was written there and became of it where it went on to; of any
    other, what came in from those that feed it, and what was imported.
    """
    writes = flow_named(project.flow).begins == ItemState.WAITING
    writing = [project] if writes else list(project.fed_by.all())
    checking = project.feeds if writes else project
    written = {key_onward(each, key): state for each in writing for key, state in _items(each)}
    items = [] if checking is None else list(_items(checking))
    keys, came = {key for key, _ in items}, defaultdict(list)
    for key, state in items:
        came[key_before(key) if key_before(key) in keys else key].append(state)
    ours = {key: rounds for key, rounds in came.items() if not writes or key in written}
    states = Counter(each.state for each in written.values())
    ends = [_end(rounds) for rounds in ours.values()]
    lost = [each.outcome for each in (*written.values(), *ends) if each.state == ItemState.DROPPED]
    return Funnel(
        written=states.total(),
        curated=states[ItemState.COMPLETE] + states[ItemState.DROPPED],
        accepted=states[ItemState.COMPLETE],
        imported=len(ours.keys() - written.keys()),
        answered=sum(each.state in {ItemState.COMPLETE, ItemState.DROPPED} for each in ends),
        kept=sum(each.state == ItemState.COMPLETE for each in ends),
        dropped=dict(sorted(Counter(str((outcome or {}).get("reason", "")) for outcome in lost).items())),
    )


class _State(NamedTuple):
    state: str
    outcome: Mapping[str, object] | None


def _items(project: Project) -> Iterator[tuple[str, _State]]:
    work = WorkItem.objects.filter(project=project, kind=ItemKind.WORK).order_by("pk")
    for key, state, outcome in work.values_list("key", "state", "outcome"):
        yield key, _State(state, outcome)


def _end(rounds: Sequence[_State]) -> _State:
    """End of a question: the round that kept it, else its newest one."""
    return next((each for each in rounds if each.state == ItemState.COMPLETE), rounds[-1])
