"""Which items a run takes: places asked for, and so many units, of each place its share."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Item, ItemMetadata
from mores.runs.selection import select
from mores.runs.spec import Spec
from tests.runs.conduct import hold, transcripts, whole

SEED = Seed("test")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedUnit:
    about: ItemMetadata


def thing(item: str, unit: str, place: str | None) -> Item:
    return JudgedUnit(about=ItemMetadata(item=item, unit=unit, cluster=unit, place=place))


def things(sizes: dict[str, int], parts: int = 1) -> list[Item]:
    """So many units of each place, in the order of the places, each of so many items."""
    return [
        thing(f"{p}-{n}-{k}", f"{p}-{n}", p) for p, size in sizes.items() for n in range(size) for k in range(parts)
    ]


def units(items: Sequence[Item]) -> list[str]:
    return list(dict.fromkeys(item.about.unit for item in items))


def drawn(items: list[Item], limit: int, seed: Seed = SEED) -> list[str]:
    return units(select(items, places=(), limit=limit, seed=seed))


def sizes(least: int = 0) -> st.SearchStrategy[dict[str, int]]:
    return st.dictionaries(st.sampled_from(["AE", "BR", "DE", "JP", "NG"]), st.integers(least, 30), min_size=1)


@given(sizes(1), st.integers(1, 150), st.integers(1, 4))
def test_a_limit_counts_whole_units_in_the_order_of_the_data(by_place: dict[str, int], limit: int, parts: int) -> None:
    items = things(by_place, parts)
    taken = select(items, places=(), limit=limit, seed=SEED)
    assert len(units(taken)) == min(limit, sum(by_place.values()))
    assert len(taken) == parts * len(units(taken))
    assert taken == [item for item in items if item in taken]


@given(sizes(1), st.integers(1, 60), st.integers(0, 60))
def test_a_smaller_limit_is_part_of_a_larger_one(by_place: dict[str, int], small: int, more: int) -> None:
    items = things(by_place)
    assert set(drawn(items, small)) <= set(drawn(items, small + more))


@given(sizes(1), st.integers(1, 100))
def test_each_place_gets_its_share(by_place: dict[str, int], limit: int) -> None:
    total = sum(by_place.values())
    counts = Counter(unit.split("-")[0] for unit in drawn(things(by_place), limit))
    for place, size in by_place.items():
        assert abs(counts[place] - min(limit, total) * size / total) < 2


def test_a_draw_depends_on_the_seed_and_not_on_the_order_of_the_data() -> None:
    items = things({"JP": 40, "NG": 40})
    assert set(drawn(items, 20)) == set(drawn(items[::-1], 20))
    assert drawn(items, 20) != drawn(items, 20, Seed("other"))
    assert drawn(items, 20) != units(items)[:20]


def test_each_unit_is_drawn_alike() -> None:
    items = things({"JP": 10, "NG": 5})
    counts = Counter(unit for number in range(600) for unit in drawn(items, 5, Seed(f"draw-{number}")))
    assert all(130 < counts[unit] < 270 for unit in units(items))  # 200 expected, 4 standard deviations are 46


def test_items_without_a_place_are_drawn_as_well() -> None:
    assert len(drawn([thing(f"i-{n}", f"i-{n}", None) for n in range(10)], 4)) == 4


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_that_is_no_number_of_units_is_refused(limit: int) -> None:
    with pytest.raises(InputError, match=f"--limit {limit}: expected a positive number"):
        select(things({"JP": 2}), places=(), limit=limit, seed=SEED)


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        (("JP",), {"JP"}),
        (("Japan",), {"JP"}),
        (("japan", "NG"), {"JP", "NG"}),
        (("GB",), {"GB", "GB-SCT", "GB-ENG"}),
        (("GB-SCT",), {"GB-SCT"}),
    ],
)
def test_places_are_taken_with_their_parts(asked: tuple[str, ...], taken: set[str]) -> None:
    items = things({"JP": 2, "NG": 2, "GB": 1, "GB-SCT": 2, "GB-ENG": 1})
    assert {item.about.place for item in select(items, places=asked, limit=None, seed=SEED)} == taken


def test_a_place_that_is_unknown_brings_the_nearest_and_one_without_items_is_said() -> None:
    with pytest.raises(InputError, match=r"--places: No place is called 'Japn'\. Did you mean 'Japan'"):
        select(things({"JP": 2}), places=("Japn",), limit=None, seed=SEED)
    with pytest.raises(InputError, match="--places NG: no item is about these places; see mores show"):
        select(things({"JP": 2}), places=("NG",), limit=None, seed=SEED)


def test_a_run_takes_places_first_and_its_limit_of_them(tmp_path: Path, cultural: Path) -> None:
    spec = Spec(benchmarks=("culturalbench/hard",), data=str(cultural), places=("JP", "Nigeria"), limit=5)
    assert hold(tmp_path, spec)
    assert whole(tmp_path, "accuracy")["asked"] == 5
    assert len(transcripts(tmp_path)) == 20
