"""The figures of closed questions a second time, slowly, in plain Python: the oracle of `test_figures`.

Nothing here knows of arrays, ledgers or codes. A verdict is a row; a figure is what the definitions say, read off
the rows again and again.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from msgspec.structs import replace
from sklearn.metrics import f1_score

from mores.analysis.groups import group_value
from mores.core.verdict import Fault, Graded, Ungraded, Verdict

Unit = Literal["unit", "item"]
GEOGRAPHY = ("region", "continent", "wvs_group")
Points = Callable[[Graded], float]


class Slow(NamedTuple):
    """A figure and its counts."""

    value: float | None
    asked: int
    graded: int


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def in_group(verdict: Verdict, group: dict[str, str]) -> bool:
    return all(group_value(verdict.about, kind) == value for kind, value in group.items())


def share(
    verdicts: Sequence[Verdict], unit: Unit, points: Points, group: dict[str, str], *, paper: bool, pooled: bool = False
) -> Slow:
    """A mean over units, or over the means of places where the group is one of places and nothing is pooled."""
    rows = [verdict for verdict in verdicts if in_group(verdict, group)]
    units = {getattr(row.about, unit): row.about.place for row in rows}
    values = {name: of_unit([r for r in rows if getattr(r.about, unit) == name], points) for name in units}
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return Slow(None, len(units), 0)
    figure = mean(list(known.values()))
    if set(group) & set(GEOGRAPHY) and not pooled:
        by_place = [
            mean([value for name, value in known.items() if units[name] == place])
            for place in {units[name] for name in known}
        ]
        figure = mean([round(100 * one, 2) / 100 if paper and "region" in group else one for one in by_place])
    return Slow(figure, len(units), len(known))


def of_unit(rows: Sequence[Verdict], points: Points) -> float | None:
    """The mean over samples of whether all items are right; samples that cannot be known are left out."""
    found = [in_sample([row for row in rows if row.sample == sample], points) for sample in {r.sample for r in rows}]
    known = [one for one in found if one is not None]
    return mean(known) if known else None


def in_sample(rows: Sequence[Verdict], points: Points) -> float | None:
    """Wrong if any graded item is wrong, else unknown if any is ungraded, else right."""
    graded = [points(row) for row in rows if isinstance(row, Graded)]
    if any(one < 1 for one in graded):
        return min(graded)
    return None if len(graded) < len(rows) else 1.0


def f1_macro(verdicts: Sequence[Verdict], classes: Sequence[str], group: dict[str, str]) -> Slow:
    """F1 by scikit-learn over all graded answers; what could not be read is a label of its own."""
    rows = [verdict for verdict in verdicts if in_group(verdict, group)]
    graded = [row for row in rows if isinstance(row, Graded)]
    items, known = ({row.about.item for row in some} for some in (rows, graded))
    if not graded:
        return Slow(None, len(items), 0)
    gold = [str(row.gold) for row in graded]
    said = [row.label or "(unread)" for row in graded]
    value = f1_score(gold, said, labels=[c for c in classes if c in {*gold, *said}], average="macro", zero_division=0)
    return Slow(float(value), len(items), len(known))


def filled(verdicts: Sequence[Verdict], *, right: bool, fault: Fault | None) -> list[Verdict]:
    """The same with every ungraded verdict graded: right, or wrong with a fault."""
    return [_graded(verdict, right=right, fault=fault) if isinstance(verdict, Ungraded) else verdict
            for verdict in verdicts]  # fmt: skip


def _graded(verdict: Ungraded, *, right: bool, fault: Fault | None) -> Graded:
    plain = Graded(about=verdict.about, sample=verdict.sample, task=verdict.task, points=0.0, gold=verdict.gold)
    return replace(plain, points=1.0, label=verdict.gold) if right else replace(plain, fault=fault)
