"""Calibrated sampling replayed from stored draws."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.conformal.calibration import sweep
from mores.stats.conformal.draws import Draws, LabelledDraws, Thresholds, one_each
from mores.stats.conformal.replay import SetScore, judge_sets, losses_under

SCORES: tuple[SetScore, ...] = ("max", "first_k")
GRID = (-inf, 0.0, 0.2, 0.4, 0.5, 0.8, 1.0, inf)


def worked() -> LabelledDraws:
    """The example worked by hand: Q = .4 .9 .6 .8, the third and fourth draw admissible."""
    alike = np.eye(4)
    for (j, k), value in {(0, 1): 0.3, (0, 2): 0.2, (0, 3): 0.2, (1, 2): 0.95, (1, 3): 0.5, (2, 3): 0.4}.items():
        alike[j, k] = value
    return LabelledDraws.of(Draws.of([["no", "no", "yes", "yes"]], [[0.4, 0.9, 0.6, 0.8]], [alike]), ["yes"])


def score_of(score: SetScore, qualities: list[float]) -> float:
    return max(qualities, default=-inf) if score == "max" else len(qualities)


def sampled(labelled: LabelledDraws, item: int, under: Thresholds, score: SetScore) -> tuple[list[int], int]:
    """One draw after the other, as it is told: the second implementation."""
    quality, similarity = labelled.draws.quality[item], labelled.draws.similarity
    assert similarity is not None
    kept: list[int] = []
    for k in range(labelled.draws.each):
        likest = max((similarity[item, k, j] for j in kept), default=-inf)
        if quality[k] >= under.quality and likest <= under.similarity:
            kept.append(k)
        if score_of(score, [float(quality[j]) for j in kept]) >= under.stop:
            return kept, k + 1
    return kept, labelled.draws.each


def drawn(seed: int, items: int = 6, each: int = 5) -> LabelledDraws:
    """Draws with many ties, so that equality is met often."""
    rng = np.random.default_rng(seed)
    decisions = rng.choice(np.array(["yes", "no", None], dtype=object), (items, each), p=[0.5, 0.4, 0.1]).tolist()
    quality, similarity = rng.integers(0, 6, (items, each)) / 5, rng.integers(0, 6, (items, each, each)) / 5
    return LabelledDraws.of(Draws.of(decisions, quality, similarity), ["yes", "no", "yes"] * (items // 3))


@pytest.mark.parametrize(
    ("score", "under", "kept", "made", "lost"),
    [
        ("max", (0.9, 0.5, 0.85), "0100", 2, True),
        ("max", (0.9, 0.5, 0.95), "0101", 4, False),
        ("first_k", (0.9, 0.5, 0.95), "0100", 2, True),
        ("max", (1.0, 0.5, 0.95), "0111", 4, False),
        ("first_k", (1.0, 0.5, 2), "0110", 3, False),
        *((score, (0.9, 0.5, -inf), "0000", 1, True) for score in SCORES),
        *((score, (inf, -inf, inf), "1111", 4, False) for score in SCORES),
        *((score, (0.9, 0.95, 0.5), "0000", 4, True) for score in SCORES),
        ("max", (0.95, 0.6, 0.9), "0100", 2, True),  # equality keeps, and stops
    ],
)
def test_the_worked_example(
    score: SetScore, under: tuple[float, float, float], kept: str, made: int, lost: bool
) -> None:
    labelled = worked()
    sets = judge_sets(labelled.draws, Thresholds(*under), score)
    assert "".join(str(int(one)) for one in sets.kept[0]) == kept
    assert sets.draws.tolist() == [made]
    assert sets.size.tolist() == [kept.count("1")]
    assert sets.losses(labelled.admissible).tolist() == [lost]
    assert sets.empty.tolist() == ["1" not in kept]


def test_likeness_given_in_one_half_of_the_matrix_counts_in_both() -> None:
    similarity = worked().draws.similarity
    assert similarity is not None
    assert np.array_equal(similarity, similarity.transpose(0, 2, 1))


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(GRID),
    st.sampled_from(GRID),
    st.sampled_from((*GRID, 1.2, 2.0, 3.0)),
    st.sampled_from(SCORES),
)
def test_the_replay_is_the_sampling_it_stands_for(
    seed: int, ceiling: float, floor: float, stop: float, score: SetScore
) -> None:
    labelled, under = drawn(seed), Thresholds(ceiling, floor, stop)
    sets = judge_sets(labelled.draws, under, score)
    lost = losses_under(labelled.draws, labelled.admissible, [under], score)[0]
    for item in range(labelled.draws.count):
        kept, made = sampled(labelled, item, under, score)
        assert np.flatnonzero(sets.kept[item]).tolist() == kept
        assert sets.draws[item] == made
        assert lost[item] == (not labelled.admissible[item, kept].any())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(SCORES), st.integers(1, 5))
def test_sweeping_over_stops_counts_what_each_replay_counts(seed: int, score: SetScore, each: int) -> None:
    labelled = drawn(seed, each=each)
    pairs = np.array([(ceiling, floor) for ceiling in GRID for floor in (-inf, 0.4, 0.8, inf)])
    stops = np.array([-inf, 0, 0.2, 0.8, 1, 1.2, 2, inf])
    found = sweep(labelled, pairs, stops, score)
    for place in np.ndindex(found.losses.shape):
        ceiling, floor = pairs[place[0]].tolist()
        under = Thresholds(ceiling, floor, float(stops[place[1]]))
        sets = judge_sets(labelled.draws, under, score)
        assert found.losses[place] == sets.losses(labelled.admissible).sum()
        assert found.cost[place] == sets.draws.sum() + sets.size.sum()
        assert found.empty[place] == sets.empty.sum()


def test_items_swept_in_pieces_count_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    labelled, stops = drawn(1), np.array([-inf, 0.4, inf])
    settings_ = [Thresholds(ceiling, floor, 0.4) for ceiling in GRID for floor in GRID]
    pairs = np.array(settings_)[:, :2]
    whole, lost = sweep(labelled, pairs, stops, "max"), losses_under(labelled.draws, labelled.admissible, settings_)
    monkeypatch.setattr("mores.stats.conformal.replay._CELLS", 200)
    pieces = sweep(labelled, pairs, stops, "max")
    assert all(np.array_equal(one, other) for one, other in zip(whole, pieces, strict=True))
    assert np.array_equal(losses_under(labelled.draws, labelled.admissible, settings_), lost)


def test_a_rejected_draw_of_negative_quality_does_not_stop_the_sampling() -> None:
    """The maximum over nothing is -inf, not the 0 of a masked product, which would stop at the first draw."""
    draws = Draws.of([["a", "a", "b"]], [[-9.0, -3.0, -1.0]])
    sets = judge_sets(draws, Thresholds(quality=-4.0, stop=-2.0))
    assert sets.kept.tolist() == [[False, True, True]]
    assert sets.draws.tolist() == [3]


def test_a_ceiling_below_every_likeness_keeps_the_first_that_is_good_enough() -> None:
    assert judge_sets(worked().draws, Thresholds(similarity=-inf, quality=0.5)).kept.tolist() == [
        [False, True, False, False]
    ]


def test_sets_are_decisive_split_or_empty() -> None:
    decisions: list[list[str | None]] = [["a", "a"], ["a", "b"], ["b", "b"], ["a", None], [None, None]]
    draws = Draws.of(decisions, [[1, 1], [1, 1], [0, 0], [1, 1], [1, 1]])
    sets = judge_sets(draws, Thresholds(quality=0.5))
    assert sets.decisive.tolist() == [True, False, False, False, False]
    assert sets.split.tolist() == [False, True, False, True, True]
    assert sets.empty.tolist() == [False, False, True, False, False]
    assert [draws.options[code] for code in sets.decision[sets.decisive]] == ["a"]


def test_a_draw_that_did_not_parse_is_never_admissible() -> None:
    draws = Draws.of([[None, "a"], [None, None]], [[1, 1], [1, 1]])
    assert LabelledDraws.of(draws, ["a", "unheard of"]).admissible.tolist() == [[False, True], [False, False]]


def test_sixty_four_draws_are_told_apart_and_more_are_refused() -> None:
    draws = Draws.of([["a"] * 64], np.ones((1, 64)), np.ones((1, 64, 64)))
    assert judge_sets(draws, Thresholds(similarity=0.5)).size.tolist() == [1]
    assert judge_sets(draws, Thresholds(similarity=1.0)).size.tolist() == [64]
    with pytest.raises(InputError, match="at most 64"):
        Draws.of([["a"] * 65], np.ones((1, 65)))


def test_one_item_of_each_cluster_is_drawn() -> None:
    clusters = np.repeat(["x", "y", "z"], [4, 1, 3])
    picks = {tuple(one_each(clusters, Seed(f"{draw}")).tolist()) for draw in range(200)}
    assert picks == {(x, 4, z) for x in range(4) for z in (5, 6, 7)}
    assert one_each(clusters, Seed("1")).tolist() == one_each(clusters, Seed("1")).tolist()


def test_items_taken_out_keep_their_clusters() -> None:
    labelled = LabelledDraws.of(Draws.of([["a"]] * 5, np.ones((5, 1))), ["a"] * 5, [9, 9, 4, 4, 7])
    assert (labelled.clusters, labelled.independent) == (3, False)
    some = labelled.at(np.array([0, 4]))
    assert (some.clusters, some.independent) == (2, True)


@pytest.mark.parametrize(
    ("decisions", "quality", "similarity", "says"),
    [
        ([["a"]], [1.0], None, "items in rows"),
        ([["a", "b"]], [[1.0, np.nan]], None, "1 of 2 scores not finite"),
        ([["a"]], [[1.0, 1.0]], None, "1 items with 2 decisions each"),
        ([["a", "b"]], [[1.0, 1.0]], [[1.0]], r"expected \(1, 2, 2\)"),
        ([["a", "b"]], [[1.0, 1.0]], [[[1.0, np.nan], [0.0, 1.0]]], "or a NaN"),
    ],
)
def test_draws_that_do_not_go_together_are_refused(
    decisions: list[list[str]], quality: list[float], similarity: list[float] | None, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        Draws.of(decisions, quality, similarity)


def test_labels_that_do_not_go_with_the_draws_are_refused() -> None:
    draws = Draws.of([["a"], ["b"]], [[1.0], [1.0]])
    with pytest.raises(InputError, match="one is missing"):
        LabelledDraws.of(draws, ["a", None])
    with pytest.raises(InputError, match="have 1 labels"):
        LabelledDraws.of(draws, ["a"])
    with pytest.raises(InputError, match="clusters and items"):
        LabelledDraws.of(draws, ["a", "b"], [1])


def test_what_cannot_be_replayed_is_refused() -> None:
    plain = Draws.of([["a"]], [[0.5]])
    with pytest.raises(InputError, match="the draws have none"):
        judge_sets(plain, Thresholds(similarity=0.5))
    with pytest.raises(InputError, match="is NaN"):
        judge_sets(plain, Thresholds(quality=np.nan))
