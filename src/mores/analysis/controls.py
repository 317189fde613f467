"""What a place adds to a score: the same units with it and without it, or of another place whose norm differs.

the plain evaluation and the same under a control ─▶ items that both asked ─▶ units graded in both ─▶ the gain (plain
less control), over all and by place, and the units that are kept as well without their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from mores.analysis.comparison import is_mean
from mores.analysis.contrast import (
    Contrast,
    Terms,
    adjusted,
    contrast_of,
    families_of,
    of_common_items,
    paired,
    reach_of,
)
from mores.analysis.results import Result, Results
from mores.analysis.units import Units, shared_rows, units_of
from mores.core.arrays import np
from mores.core.card import CONTROLS, Control, Metric
from mores.core.scores import Rows
from mores.core.seeds import Seed

KEPT = "kept"
"""The metric of benchmarks that score norms on one scale, where 0 is guessing; their gains are on it."""
_SEED = Seed("controls")


class Courtesy(Struct, frozen=True, kw_only=True):
    """Units of a place that were kept with it, and those of them that are kept as well without it."""

    place: str
    kept: int
    as_well: tuple[str, ...]


class Gain(Struct, frozen=True, eq=False, kw_only=True):
    """What the place adds for one model on one benchmark: `a` is the score under the control, `b` the plain one.

    `p_adjusted` of `whole` is Holm's over all gains of one control, those of `families` are by kind of group.
    """

    control: Control
    plain: Result
    other: Result
    whole: Contrast
    families: Mapping[str, tuple[Contrast, ...]] = field(default_factory=dict)
    courtesy: tuple[Courtesy, ...] = ()

    @property
    def metric(self) -> Metric | None:
        """What the card says of the metric; nothing of norms kept, which is a share."""
        return self.plain.metric(self.whole.metric)

    @property
    def kept(self) -> int:
        """Units that were kept with their place."""
        return sum(each.kept for each in self.courtesy)

    @property
    def as_well(self) -> int:
        """Those of them that are kept as well without it."""
        return sum(len(each.as_well) for each in self.courtesy)


@lru_cache(maxsize=2)
def gains(results: Results) -> tuple[Gain, ...]:
    """The gain of the place under each control, model by model; empty where no control was run.

    It is in points of the headline; without the place in norms kept where a benchmark has these, whose norms are masked
    whole, while another place may have an answer to some of their questions alone. A headline that is no mean of its
    units is left out: its control can be opened by itself.
    """
    return tuple(gain for control in CONTROLS for gain in _of_control(results, control))


def kept_as_well(results: Results) -> Mapping[Path, frozenset[str]]:
    """By folder of a plain evaluation, its units that are kept as well without their place."""
    masked = (gain for gain in gains(results) if gain.control == "masked")
    return {gain.plain.folder: frozenset(unit for each in gain.courtesy for unit in each.as_well) for gain in masked}


def _of_control(results: Results, control: Control) -> Iterator[Gain]:
    found = [
        _gain(control, plain, other)
        for plain in results.evaluations
        for other in results.variants_of(plain)
        if other.variant.control == control and (KEPT in plain.scores or is_mean(plain))
    ]
    wholes = adjusted([each.whole for each in found])
    return (replace(each, whole=whole) for each, whole in zip(found, wholes, strict=True))


def _gain(control: Control, plain: Result, other: Result) -> Gain:
    name = KEPT if control == "masked" and KEPT in plain.scores else plain.headline
    with_, without = of_common_items(plain.scores[name], other.scores[name])
    terms = Terms(_SEED.child(plain.benchmark, control), name, plain.metric(name), sides=(other, plain))
    pairs = paired(without, with_)
    return Gain(
        control=control,
        plain=plain,
        other=other,
        whole=contrast_of(pairs, terms),
        families=families_of(pairs, terms),
        courtesy=_courtesy(with_, without, reach_of(terms.metric)) if control == "masked" else (),
    )


def _courtesy(with_: Rows, without: Rows, reach: float) -> tuple[Courtesy, ...]:
    """By place, the units that get half of the range at least with it, and no less without it."""
    one, other = units_of(with_), units_of(without)
    rows, beside = shared_rows([one, other])
    half = _share(one, rows, reach) >= 1 / 2
    rows, equal = rows[half], (other.value[beside] >= one.value[rows])[half]
    names, places = one.keys.unit.texts(), one.keys.place.texts()
    found: dict[str, list[tuple[str, bool]]] = {}
    for at, well in zip(rows.tolist(), equal.tolist(), strict=True):
        found.setdefault(places[at], []).append((names[at], well))
    return tuple(
        Courtesy(place=place, kept=len(of), as_well=tuple(name for name, well in of if well))
        for place, of in sorted(found.items())
    )


def _share(units: Units, rows: np.ndarray, reach: float) -> np.ndarray:
    return np.asarray(units.points_a_value * units.value[rows] / (reach if units.weight is None else 100.0))
