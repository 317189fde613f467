"""Drops between rungs, worked by hand: their size, their claims, the family, and where a ladder breaks."""

from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from mores.analysis.groups import WHOLE, Group
from mores.benchmarks.ladder.contrasts import RungContrast, first_break, min_significant_clusters
from mores.benchmarks.ladder.sentences import describe_excluded_norms
from mores.core.estimate import CategoricalColumn, Missing, together
from mores.stats.rogan_gladen import JudgeErrors
from mores.tables.missing_texts import format_missing
from tests.reports.ladder_norms import drops_of, stood

ALL = [1.0] * 16


def whole(*rungs: object) -> tuple[RungContrast, ...]:
    return drops_of(*rungs).of[WHOLE]  # type: ignore[arg-type]


def test_a_drop_is_of_scores_above_guessing() -> None:
    # know 1 throughout; judge half right: (.5 - 1/3) / (2/3) = .25.
    (drop,) = whole(stood("know", ALL), stood("judge", [1.0, 0.0] * 8))
    assert drop.contrast.ends == pytest.approx((1.0, 0.25))
    assert drop.contrast.size == pytest.approx(0.75)
    assert (drop.contrast.units, drop.contrast.clusters, drop.contrast.test) == (16, 16, "sign flip, exact")
    assert drop.contrast.p == pytest.approx(2 / 2**8)  # eight norms differ, all one way
    assert drop.contrast.low is not None
    assert drop.contrast.high is not None
    assert drop.contrast.low < 0.75 < drop.contrast.high


def test_all_norms_are_corrected_for_pairs_of_rungs_and_groups_for_groups_as_well() -> None:
    # One place: all norms and the place, over two drops each; the first has the p of 8 norms that fall, twice.
    found = drops_of(stood("explain", ALL), stood("apply", [1.0, 0.0] * 8), stood("converse", [1.0, 0.0] * 8))
    assert found.family == 4
    first, second = found.of[WHOLE]
    assert first.p_holm == pytest.approx(2 * 2 / 2**8)
    assert (second.contrast.size, second.contrast.p, second.p_holm) == (0.0, 1.0, 1.0)
    assert found.of[Group("place", "P0")][0].contrast.p == first.contrast.p


def test_seven_norms_make_no_claim() -> None:
    found = drops_of(stood("explain", [1.0] * 7), stood("apply", [0.0] * 7))
    (drop,) = found.of[WHOLE]
    assert (drop.contrast.size, drop.contrast.low, drop.contrast.p, drop.p_holm, found.family) == (
        1.0,
        None,
        None,
        None,
        0,
    )
    assert format_missing(drop.contrast.missing) == "too few norms: 7, at least 8 are needed"
    assert not drop.breaks


def test_norms_of_one_bundle_are_drawn_once() -> None:
    # 21 norms in 7 bundles: norms enough, bundles not.
    (few,) = whole(stood("explain", [1.0] * 21), stood("apply", [0.0] * 21, bundle=3))
    assert (few.contrast.units, few.contrast.clusters, few.contrast.p) == (21, 7, None)
    assert format_missing(few.contrast.missing) == "too few clusters: 7, at least 8 are needed"
    (enough,) = whole(stood("explain", [1.0] * 24), stood("apply", [0.0] * 24, bundle=3))
    assert (enough.contrast.units, enough.contrast.clusters) == (24, 8)
    assert enough.contrast.p == pytest.approx(2 / 2**8)


def test_the_bundles_of_either_rung_count() -> None:
    up = whole(stood("explain", ALL), stood("apply", ALL, bundle=2), stood("converse", ALL))
    assert [drop.contrast.clusters for drop in up] == [8, 8]


def test_norms_that_cannot_be_paired_are_counted() -> None:
    lower, upper = stood("explain", [1.0] * 10), stood("apply", [0.5] * 9 + [nan] + [0.0] * 2)
    (drop,) = whole(lower, upper)
    assert (drop.contrast.units, drop.ungraded, drop.alone) == (9, 1, 2)
    assert drop.contrast.size == pytest.approx(0.5)
    assert describe_excluded_norms(drop.alone, drop.ungraded) == "2 asked on one rung only, 1 not graded on both"


def test_norms_of_two_packs_are_not_paired() -> None:
    found = drops_of(stood("explain", ALL), stood("apply", [0.0] * 16, pack="two"))
    (drop,) = found.of[WHOLE]
    assert (drop.contrast.size, drop.contrast.ends, drop.contrast.p, found.family) == (None, None, None, 0)
    assert format_missing(drop.contrast.missing) == "the rungs were run on different packs of norms"


def test_a_rung_without_a_figure_of_norms_is_not_paired() -> None:
    (drop,) = whole(stood("explain", ALL, missing=Missing(code="rung_not_graded", told="explain")), stood("apply", ALL))
    assert (drop.contrast.size, format_missing(drop.contrast.missing)) == (None, "explain: nothing graded")


def test_no_norm_in_common_is_said() -> None:
    (drop,) = whole(stood("explain", ALL), stood("apply", [nan] * 16))
    assert (drop.contrast.size, drop.ungraded, format_missing(drop.contrast.missing)) == (
        None,
        16,
        "no norm is graded on both rungs",
    )


def test_the_first_found_and_large_drop_is_where_it_breaks() -> None:
    levels = (1.0, 0.95, 0.6, 0.2)
    rungs = [
        stood(name, [level] * 40) for name, level in zip(("explain", "apply", "converse", "live"), levels, strict=True)
    ]
    drops = whole(*rungs)
    assert [drop.found for drop in drops] == [True, True, True]
    assert [drop.breaks for drop in drops] == [False, True, True]  # .05 is found, but small
    broken = first_break(drops)
    assert broken is not None
    assert broken.after == "converse"


def test_a_large_drop_that_chance_explains_is_no_break() -> None:
    # Of ten norms three fall and one rises: p = 10/16.
    (drop,) = whole(stood("explain", [1.0] * 9 + [0.0]), stood("apply", [0.0] * 3 + [1.0] * 7))
    assert drop.contrast.size == pytest.approx(0.2)
    assert drop.contrast.p == pytest.approx(10 / 16)
    assert not drop.breaks


def test_a_rise_is_no_break() -> None:
    (drop,) = whole(stood("explain", [0.0] * 30), stood("apply", [0.9] * 30))
    assert drop.found
    assert not drop.breaks
    assert drop.contrast.size == pytest.approx(-0.9)


def test_a_large_drop_from_guessing_sinks_and_does_not_break() -> None:
    (drop,) = whole(stood("explain", [1.0] * 30), stood("apply", [0.2] * 30))
    assert (drop.breaks, drop.sinks) == (True, False)
    low = structs.replace(drop, grounded=False)
    assert (low.found, low.breaks, low.sinks) == (True, False, True)
    assert first_break([low, drop]) is drop


def test_a_region_of_one_place_is_no_group_of_its_own() -> None:
    def placed(places: int) -> set[Group]:
        one = stood("explain", ALL, places=places)
        keys = structs.replace(one.norms.keys, groups={"region": CategoricalColumn.of(["R"] * len(ALL))})
        in_region = structs.replace(one, norms=structs.replace(one.norms, keys=keys))
        return set(drops_of(in_region, stood("apply", ALL, places=places)).of)

    assert placed(1) == {WHOLE, Group("place", "P0")}


def test_what_could_have_been_seen_shrinks_with_the_norms() -> None:
    few = whole(stood("explain", [1.0, 0.0] * 10), stood("apply", [0.0, 1.0] * 5 + [1.0, 0.0] * 5))[
        0
    ].contrast.minimum_detectable
    many = whole(stood("explain", [1.0, 0.0] * 40), stood("apply", [0.0, 1.0] * 20 + [1.0, 0.0] * 20))[
        0
    ].contrast.minimum_detectable
    # Nobody errs here: a fall has to exceed 10 points in most draws, and chance in as many.
    assert few is not None
    assert many is not None
    assert 0.1 < many < few < 0.5
    assert whole(stood("explain", ALL), stood("apply", ALL))[0].contrast.minimum_detectable is None


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=8, max_size=14), st.randoms())
def test_the_order_of_norms_does_not_matter(shares: list[tuple[float, float]], rng: object) -> None:
    turned = shares.copy()
    rng.shuffle(turned)  # type: ignore[attr-defined]
    one, other = (
        whole(stood("explain", [a for a, _ in s]), stood("apply", [b for _, b in s]))[0] for s in (shares, turned)
    )
    assert one.contrast.size == pytest.approx(other.contrast.size, abs=1e-9)
    assert one.contrast.p == pytest.approx(other.contrast.p)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3), min_size=1, max_size=8))
def test_units_that_share_a_name_are_together_and_no_others(names: list[list[str]]) -> None:
    codes = together(names).tolist()
    reach = np.array([[bool(set(x) & set(y)) for y in names] for x in names])
    for _ in names:  # a way through others
        reach = reach | (reach.astype(int) @ reach.astype(int) > 0)
    assert [[x == y for y in codes] for x in codes] == reach.tolist()


@pytest.mark.parametrize("family", [1, 9, 54, 165])
def test_so_many_clusters_can_be_found_and_one_fewer_cannot(family: int) -> None:
    needed = min_significant_clusters(family)
    assert family * 2 * 0.5**needed < 0.05 <= family * 2 * 0.5 ** (needed - 1)


def test_dice_are_named_by_rungs_and_group() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.random(40), rng.random(40)
    rungs = stood("explain", one.tolist(), places=2), stood("apply", other.tolist(), places=2)
    assert drops_of(*rungs) == drops_of(*rungs)


def test_a_day_of_which_nobody_knows_the_steps_bears_no_claim() -> None:
    judge = JudgeErrors.within(0.9, 1.0)
    known, unknown = (
        whole(stood("explain", ALL), stood("live", [1.0, 0.0] * 8, judge=judge, steps=steps))[0] for steps in (2.0, nan)
    )
    assert known.contrast.p is not None
    assert (unknown.contrast.p, format_missing(unknown.contrast.missing)) == (
        None,
        "it is not known how many steps of a day were judged",
    )
