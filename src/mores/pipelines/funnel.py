"""Outcomes of a pipeline's units: kept, dropped for good, or not answered and asked again on resume.

units ─▶ stages in turn, each of which lets a unit pass or drops it with a reason ─▶ a funnel of counts, and how often
models refuse by place and by region
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from mores.norms.places import group_of
from mores.pipelines.structured_query import REFUSED
from mores.stats.intervals import wilson

T = TypeVar("T")


class Unit(Protocol):
    """Input of a pipeline: its id, and the place that it is about, empty where it is about none."""

    @property
    def id(self) -> str: ...  # noqa: D102 - said above
    @property
    def place(self) -> str: ...  # noqa: D102


class Dropped(msgspec.Struct, frozen=True, kw_only=True):
    """A unit that went no further: its id, at which stage, why in a few words that are counted, and what exactly.

    Where `transient`, nothing was found out: a call failed, and the unit is asked about again on resume.
    """

    unit: str
    stage: str
    reason: str
    detail: str = ""
    place: str = ""
    transient: bool = False


class Kept(msgspec.Struct, Generic[T], frozen=True):
    """A unit that went through every stage, as it came out; `refused` where a model refused something on the way."""

    value: T
    refused: bool = False


KeptOrDropped = Kept[T] | Dropped


def dropped(unit: Unit, stage: str, reason: str, detail: str = "", *, transient: bool = False) -> Dropped:
    """A unit that goes no further, or that waits where `transient`."""
    return Dropped(unit=unit.id, stage=stage, reason=reason, detail=detail, place=unit.place, transient=transient)


class FunnelStage(msgspec.Struct, frozen=True, kw_only=True):
    """One stage of a funnel: how many units came to it, how many it let pass, and how many it dropped by reason."""

    stage: str
    came: int
    passed: int
    dropped: dict[str, int]


def counted(values: Iterable[str]) -> dict[str, int]:
    """Count of each value, by value."""
    return dict(sorted(Counter(values).items()))


def funnel(stages: Sequence[str], dropped: Iterable[Dropped], *, kept: int) -> tuple[FunnelStage, ...]:
    """The counts of each stage, in the order of the stages.

    >>> drop = Dropped(unit="b", stage="write", reason="refusal")
    >>> [(step.stage, step.came, step.passed) for step in funnel(("read", "write"), [drop], kept=1)]
    [('read', 2, 2), ('write', 2, 1)]
    """
    lost = list(dropped)
    left, steps = kept + len(lost), []
    for stage in stages:
        here = Counter(each.reason for each in lost if each.stage == stage)
        steps.append(FunnelStage(stage=stage, came=left, passed=left - here.total(), dropped=counted(here.elements())))
        left -= here.total()
    return tuple(steps)


WIDTH, LEFT, BAR, ROW = 760, 130, 420, 46
PASSED, LOST, INK, SOFT = "#2a6f97", "#d9a066", "#1b1b1b", "#595959"
"""Both fills stand out from white and from each other in grey too."""


def funnel_picture(name: str, steps: Sequence[FunnelStage], *, simulated: bool) -> str:
    """The funnel as SVG, its figures as text beside each bar; the same steps give the same bytes."""
    most = max((step.came for step in steps), default=0)
    height = 56 + ROW * len(steps)
    text = "; ".join(f"{step.stage}: {step.came:,} came, {step.passed:,} passed" for step in steps)
    made_up = " (simulated)" if simulated else ""
    rows = "\n".join(line for number, step in enumerate(steps) for line in _row(step, most, 40 + ROW * number))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="sans-serif" font-size="13">\n'
        f"<title>Funnel of {escape(name)}{made_up}</title>\n<desc>{escape(text)}</desc>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n'
        f'<text x="12" y="24" font-size="15" fill="{INK}">{escape(name)}{made_up}: what passed each stage</text>\n'
        f"{rows}\n</svg>\n"
    )


def _row(step: FunnelStage, most: int, top: int) -> Iterator[str]:
    """One stage: its name, the bar, the counts and the commonest reasons."""
    passed, came = (round(BAR * count / most, 1) if most else 0.0 for count in (step.passed, step.came))
    yield f'<text x="{LEFT - 10}" y="{top + 17}" text-anchor="end" fill="{INK}">{escape(step.stage)}</text>'
    yield f'<rect x="{LEFT}" y="{top}" width="{passed}" height="24" fill="{PASSED}"/>'
    yield f'<rect x="{LEFT + passed}" y="{top}" width="{round(came - passed, 1)}" height="24" fill="{LOST}"/>'
    yield f'<text x="{LEFT + BAR + 10}" y="{top + 17}" fill="{INK}">{step.passed:,} of {step.came:,}</text>'
    reasons = sorted(step.dropped.items(), key=lambda pair: (-pair[1], pair[0]))
    if reasons:
        more = f", {len(reasons) - 2} more reasons" if len(reasons) > 2 else ""
        words = ", ".join(f"{count:,} {reason}" for reason, count in reasons[:2])
        yield f'<text x="{LEFT}" y="{top + 38}" font-size="11" fill="{SOFT}">dropped: {escape(words + more)}</text>'


class Refusals(msgspec.Struct, frozen=True, kw_only=True):
    """Units about a place or a region, how many had something refused, and their share with Wilson's interval."""

    where: str
    units: int
    refused: int
    share: float
    low: float | None
    high: float | None


def refusals(units: Sequence[Unit], outcomes: Sequence[KeptOrDropped[Any]]) -> dict[str, tuple[Refusals, ...]]:
    """The refusals among units that have all ended, by place and by region."""
    refused = [each.reason == REFUSED if isinstance(each, Dropped) else each.refused for each in outcomes]
    regions = [(unit.place and group_of(unit.place, "region")) or "no region" for unit in units]
    return {
        "by_place": _grouped([unit.place or "no place" for unit in units], refused),
        "by_region": _grouped(regions, refused),
    }


def _grouped(groups: Sequence[str], refused: Sequence[bool]) -> tuple[Refusals, ...]:
    hits = Counter(group for group, each in zip(groups, refused, strict=True) if each)
    found = ((group, n, hits[group], wilson(hits[group], n)) for group, n in counted(groups).items())
    return tuple(
        Refusals(where=group, units=n, refused=count, share=count / n, low=interval.low, high=interval.high)
        for group, n, count, interval in found
    )
