"""What kept sets come to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.conformal.draws import Draws, LabelledDraws, Thresholds
from mores.stats.conformal.replay import judge_sets, loss_by_group, set_figures, worst_loss
from mores.tables.missing_texts import format_missing

SEED = Seed("tests")


def six() -> LabelledDraws:
    """Four draws of six items; by `Thresholds(quality=.5, stop=.9)` and "max" the sets are as the comments say."""
    decisions: list[list[str | None]] = [
        ["a", "a", "b", "a"],  # kept 1, drawn 1: a, right
        ["b", "a", "a", "a"],  # kept 1, 2 drawn 2: b a, split and so not lost
        ["b", "b", "b", "a"],  # kept 2, drawn 2: b, wrong
        [None, "a", "a", "a"],  # kept 1, 3 drawn 3: unreadable and a, so split; right
        ["a", "b", "b", "b"],  # none kept, drawn 4: empty
        ["a", "a", "a", "a"],  # kept 2, drawn 2: a, right
    ]
    quality = [
        [0.9, 0.9, 0.9, 0.9],
        [0.5, 0.9, 0.9, 0.9],
        [0.1, 0.9, 0.9, 0.9],
        [0.6, 0.2, 0.95, 0.9],
        [0.4, 0.4, 0.4, 0.4],
        [0.3, 0.9, 0.9, 0.9],
    ]
    return LabelledDraws.of(Draws.of(decisions, quality), ["a"] * 6)


def test_the_figures_of_a_small_case() -> None:
    labelled = six()
    sets = judge_sets(labelled.draws, Thresholds(quality=0.5, stop=0.9))
    found = set_figures(sets, labelled, seed=SEED)
    assert sets.draws.tolist() == [1, 2, 2, 3, 4, 2]
    assert sets.size.tolist() == [1, 2, 1, 2, 0, 1]
    assert found.items == 6
    assert [found.loss, found.draws, found.size] == pytest.approx([2 / 6, 14 / 24, 7 / 24])
    assert found.cost == pytest.approx(21 / 6)
    # oracle 1 2 4 2 1 1, so excess 0 0 0 1 3 1
    assert found.excess == pytest.approx(5 / 6)
    assert found.relative_excess == pytest.approx((1 / 3 + 3 / 4 + 1 / 2) / 6)
    assert [found.decisive, found.split, found.empty] == pytest.approx([3 / 6, 2 / 6, 1 / 6])
    assert found.decisive_error == pytest.approx(1 / 3)
    assert format_missing(found.decisive_error_interval.missing) == "too few clusters: 3, at least 8 are needed"
    assert format_missing(found.loss_interval.missing) == "too few clusters: 6, at least 8 are needed"
    assert found.plain == pytest.approx(1 / 6)
    assert not found.trivial
    # sizes 0, 1, 2 have losses 1, 1/3, 0
    assert found.worst_loss == 1


def test_one_draw_of_everything_is_trivial() -> None:
    labelled = six()
    found = set_figures(judge_sets(labelled.draws, Thresholds(stop=-np.inf)), labelled, seed=SEED)
    assert (found.plain, found.trivial, found.draws) == (1, True, 0.25)


def test_without_a_decisive_set_there_is_no_error_of_them() -> None:
    labelled = six()
    found = set_figures(judge_sets(labelled.draws, Thresholds(quality=2.0)), labelled, seed=SEED)
    assert (found.decisive, found.decisive_error, found.empty, found.loss) == (0, None, 1, 1)
    assert format_missing(found.decisive_error_interval.missing) == "nothing graded"


def test_intervals_respect_clusters() -> None:
    labelled = six()
    two = LabelledDraws.of(labelled.draws, ["a"] * 6, [0, 0, 0, 1, 1, 1])
    found = set_figures(judge_sets(two.draws, Thresholds(quality=0.5, stop=0.9)), two, seed=SEED)
    assert format_missing(found.loss_interval.missing) == "too few clusters: 2, at least 8 are needed"


def test_losses_by_place_have_their_own_intervals() -> None:
    labelled = six()
    sets = judge_sets(labelled.draws, Thresholds(quality=0.5, stop=0.9))
    found = loss_by_group(sets, labelled, ["GE", "GE", "GE", "JP", "JP", "JP"], seed=SEED)
    assert list(found) == ["GE", "JP"]
    loss, interval, items = found["GE"]
    assert (loss, items) == (1 / 3, 3)
    assert format_missing(interval.missing) == "too few clusters: 3, at least 8 are needed"


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=80))
def test_the_worst_loss_is_a_mean_of_some_bin_and_no_less_than_that_of_all(pairs: list[tuple[int, bool]]) -> None:
    sizes, lost = zip(*pairs, strict=True)
    found = worst_loss(sizes, lost)
    assert np.mean(lost) - 1e-12 <= found <= 1


def test_figures_of_other_items_are_refused() -> None:
    labelled = six()
    sets = judge_sets(labelled.draws, Thresholds())
    with pytest.raises(InputError, match="sets and labelled items"):
        set_figures(sets, labelled.at(np.array([0, 1])), seed=SEED)
