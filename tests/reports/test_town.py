"""Days in town in a report: who is dominated, the readings, groups of too few days, and what a setting changes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.analysis.compatibility import describe_mismatch, first_mismatch
from mores.benchmarks.liveculture.results import TOWN_ANALYSIS, town
from mores.benchmarks.liveculture.results.town_runs import dominating
from mores.core.estimate import Estimate
from mores.reports.charts import drawn
from mores.reports.page.write import render
from mores.runs.loading import read_results
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Chart, ChartPoint, Series
from tests.reports.made import run_of
from tests.reports.made_days import day, days, evaluation, even, found_in, plain, section, text_of
from tests.reports.shown import printed


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """This section alone stands on pages."""
    monkeypatch.setattr("mores.reports.sections_list.ANALYSES", (TOWN_ANALYSIS,))


def test_a_dominated_model_is_not_on_the_front_and_it_says_by_whom(tmp_path: Path) -> None:
    run = run_of(
        tmp_path / "run",
        evaluation(even(20, 18, 10), "openai/busy"),
        evaluation(even(20, 10, 18), "openai/polite"),
        evaluation(even(20, 9, 10), "openai/neither"),
    )
    found = found_in(run)
    (front,) = found.fronts
    assert [(spot.name, spot.on_front, spot.beaten_by) for spot in front.spots] == [
        ("openai/busy", True, ()),
        ("openai/polite", True, ()),
        ("openai/neither", False, ("openai/busy", "openai/polite")),
    ]
    assert "no: dominated by openai/busy" in text_of(run)
    (line,) = (line for line in printed(section(found)) if line.strip().startswith("openai/neither 3"))
    assert "no: dominated by openai/busy, openai/polite" in line


def test_equal_figures_stand_on_the_front_together(tmp_path: Path) -> None:
    twins = [evaluation(even(12, 9, 6), f"openai/{name}") for name in "ab"]
    (front,) = found_in(run_of(tmp_path / "run", *twins, evaluation(even(12, 9, 5), "openai/c"))).fronts
    assert [spot.on_front for spot in front.spots] == [True, True, False]
    assert front.spots[2].beaten_by == ("openai/a", "openai/b")
    assert [spot.sure for spot in front.spots][:2] == [1.0, 1.0]


def test_a_model_without_one_of_the_figures_has_no_place_and_pushes_nobody_off(tmp_path: Path) -> None:
    silent = evaluation(days([(1.0, [])] * 12), "openai/silent")  # nobody's norms are known
    broken = evaluation(days([(None, [False])] * 12), "openai/broken")
    run = run_of(tmp_path / "run", silent, broken, evaluation(even(12, 6, 6), "openai/c"))
    found = found_in(run)
    (front,) = found.fronts
    assert [(spot.placed, spot.on_front, spot.beaten_by, spot.sure) for spot in front.spots] == [
        (False, False, None, None), (False, False, None, None), (True, True, (), 1.0),
    ]  # fmt: skip
    assert "no place: a figure is missing" in text_of(run)
    assert sum("no place: a figure is missing" in line for line in printed(section(found))) == 2
    assert [row["on_front"] for row in plain(found)["town_fronts"]] == [None, None, True]


def test_how_sure_a_place_on_the_front_is_comes_from_redrawing_the_same_days_for_all(tmp_path: Path) -> None:
    near = [evaluation(even(40, 20, 20), "openai/a"), evaluation(even(40, 21, 20), "openai/b")]
    (front,) = found_in(run_of(tmp_path / "near", *near)).fronts
    assert [spot.on_front for spot in front.spots] == [False, True]
    # One day of 40 sets them apart: a redraw without it, (1 - 1/40)^40 = .363, leaves them equal, both on the front.
    assert front.spots[0].sure == pytest.approx(0.363, abs=0.04)
    assert front.spots[1].sure == 1.0
    far = [evaluation(even(40, 5, 5), "openai/a"), evaluation(even(40, 38, 38), "openai/b")]
    (clear,) = found_in(run_of(tmp_path / "far", *far)).fronts
    assert [spot.sure for spot in clear.spots] == [0.0, 1.0]
    few = [evaluation(even(7, 3, 3), "openai/a"), evaluation(even(7, 5, 5), "openai/b")]
    (unsure,) = found_in(run_of(tmp_path / "few", *few)).fronts
    assert [spot.sure for spot in unsure.spots] == [None, None]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_somebody_is_always_on_the_front_and_whoever_is_not_is_beaten_by_one_who_is(
    pairs: list[tuple[int, int]],
) -> None:
    points = np.array(pairs, dtype=float)
    beats = dominating(points)
    front = np.logical_not(beats.any(axis=0, keepdims=True))[0]
    assert front.any()
    for loser in np.flatnonzero(~front):
        assert any(front[winner] for winner in np.flatnonzero(beats[:, loser]))
    for one in np.flatnonzero(front):  # nobody on the front is better in both
        assert not (points > points[one]).all(axis=1).any()


def test_models_that_were_not_played_alike_share_no_front(tmp_path: Path) -> None:
    """Other pressure, another verifier, another town: each makes figures that cannot be held against others."""
    run = run_of(
        tmp_path / "run",
        evaluation(even(12, 6, 6), "openai/a"),
        evaluation(even(12, 5, 5), "openai/b", settings={"pressure": "strong"}),
        evaluation(even(12, 4, 4), "openai/c", roles={"judge": "openai/other"}),
        evaluation(even(12, 3, 3), "openai/d", also={"data": {"population": "another", "norms": "n"}}),
    )
    found = found_in(run)
    assert found.fronts == ()
    assert [single.evaluation.label for single in found.singles] == [f"openai/{name}" for name in "abcd"]


THRICE = {"runs": 3, "sampling": {"temperature": 1.0, "max_tokens": 4000}}


def test_days_that_were_judged_in_other_ways_share_no_front_and_it_says_in_what(tmp_path: Path) -> None:
    """One word at temperature 0 against three at temperature 1, all else alike: `mores compare` refuses these too."""
    once = run_of(tmp_path / "once", evaluation(even(12, 6, 6), "openai/a"))
    thrice = run_of(tmp_path / "thrice", evaluation(even(12, 5, 5), "openai/b", judging=THRICE))
    (a,), (b,) = (read_results([run]).evaluations for run in (once, thrice))
    assert first_mismatch(a, b, allow_other_data=False) is not None
    found = found_in(once, thrice)
    assert found.fronts == ()
    why = describe_mismatch(found.mismatches[0])
    assert "judge's temperature 1.0, runs of each judge 3" in why
    assert f"Not compared, because mores compare would refuse to: {why}" in text_of(once, thrice)
    assert any(why in line for line in printed(section(found)))
    assert [row["why"] for row in plain(found)["town_apart"]] == [why]
    assert [single.conditions.partition(";")[0] for single in found.singles] == [
        "settings as published", "judge's temperature 1.0, runs of each judge 3",
    ]  # fmt: skip


def test_models_that_were_judged_alike_share_a_front_that_names_how(tmp_path: Path) -> None:
    runs = [
        run_of(tmp_path / name, evaluation(even(12, 6, 6), f"openai/{name}", judging=THRICE)) for name in ("a", "b")
    ]
    found = found_in(*runs)
    (front,) = found.fronts
    assert front.conditions.startswith("judge's temperature 1.0, runs of each judge 3; ")
    assert found.mismatches == ()


def test_another_number_of_a_card_keeps_days_apart_and_another_letter_does_not(tmp_path: Path) -> None:
    def version(number: str) -> Path:
        made = evaluation(even(12, 6, 6), f"openai/{number}", also={"card": {"version": number}})
        return run_of(tmp_path / number, made)

    first, later, other = (version(number) for number in ("1-A", "1-B", "2-A"))
    assert len(found_in(first, later).fronts) == 1
    found = found_in(first, other)
    assert found.fronts == ()
    assert "scores compare within one number" in describe_mismatch(found.mismatches[0])


def test_a_setting_is_not_held_against_its_value_in_days_that_were_judged_in_another_way(tmp_path: Path) -> None:
    first = run_of(tmp_path / "none", evaluation(even(12, 6, 6), settings={"pressure": "none"}))
    second = run_of(tmp_path / "strong", evaluation(even(12, 6, 2), settings={"pressure": "strong"}, judging=THRICE))
    found = found_in(first, second)
    assert found.series == ()
    assert found.mismatches == ()  # one model's runs stand side by side, named by what tells them apart
    (single,) = found.singles
    assert [spot.name for spot, _ in single.points] == [
        "judge's temperature 0.0, pressure none, runs of each judge 1",
        "judge's temperature 1.0, pressure strong, runs of each judge 3",
    ]


def test_days_that_were_judged_again_say_what_their_goals_cannot_tell(tmp_path: Path) -> None:
    again = run_of(tmp_path / "again", evaluation(even(12, 6, 6), also={"judged": "runs/first"}))
    assert "was not asked about at later steps" in text_of(again)
    assert any("judged again" in line for line in printed(section(found_in(again))))
    plainly = run_of(tmp_path / "first", evaluation(even(12, 6, 6)))
    assert "was not asked about at later steps" not in text_of(plainly)


def test_models_that_lived_other_days_share_no_front_and_it_says_why(tmp_path: Path) -> None:
    """Ten of the twelve days and two others: figures of other people's days are not held against each other."""
    late = [v for n in range(2, 14) for v in day(n, 1.0, [False])]
    again = [v for n in range(12) for v in day(n, None if n == 3 else 1.0, [False])]  # one day ungraded, all lived
    first, other = evaluation(even(12, 6, 6), "openai/a"), evaluation(late, "openai/b")
    run = run_of(tmp_path / "run", first, other)
    assert found_in(run).fronts == ()
    assert "no other model lived the same days under the same conditions" in text_of(run)
    (front,) = found_in(run_of(tmp_path / "three", first, other, evaluation(again, "openai/c"))).fronts
    assert [spot.name for spot in front.spots] == ["openai/a", "openai/c"]


def test_a_share_without_an_interval_is_still_a_sentence_and_what_was_not_judged_is_said(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", evaluation([v for n in range(3) for v in day(n, 0.5, [])]))
    (finding,) = section(found_in(run)).findings
    told = f"{words.text_of(finding.words)} {words.text_of(finding.sure)}"
    assert told.endswith(" did 50.0% of its tasks. None of its steps was judged.")


def test_one_model_stands_with_its_nationalities_and_those_of_too_few_days_are_not_drawn(tmp_path: Path) -> None:
    many = [v for n in range(10) for v in day(n, float(n < 7), [n >= 4], origin="AU")]
    more = [v for n in range(10, 22) for v in day(n, float(n < 12), [n >= 20], origin="CN")]
    few = [v for n in range(22, 25) for v in day(n, 1.0, [False], origin="GR")]
    mute = [v for n in range(25, 40) for v in day(n, 1.0, [], origin="IT")]
    found = found_in(run := run_of(tmp_path / "run", evaluation([*many, *more, *few, *mute])))
    (single,) = found.singles
    assert [(spot.name, label) for spot, label in single.points] == [
        ("Australia", "AU"), ("China", "CN"),
    ]  # fmt: skip
    assert single.left_out == 2
    assert single.whole is not None
    assert single.whole.goal.value == pytest.approx((7 + 2 + 3 + 15) / 40)
    words = text_of(run)
    assert "stands alone here, so there is no front" in words
    assert "2 of too few days, or without a norm that is known, are not drawn" in words
    nationalities = next(table for table in found.tables if table.kind == "nationality")
    assert [group.name for group in nationalities.few] == ["Greece"]
    assert [group.name for group in nationalities.enough] == ["Australia", "China", "Italy"]
    assert "Too few days (under 8): no claim rests on these" in words
    assert found.fronts == ()


def test_one_model_in_several_runs_stands_with_its_runs_named_by_what_tells_them_apart(tmp_path: Path) -> None:
    runs = [
        run_of(tmp_path / level, evaluation(even(12, 6, kept), settings={"pressure": level}))
        for level, kept in (("none", 11), ("strong", 3))
    ]
    (single,) = found_in(*runs).singles
    assert (single.of, [spot.name for spot, _ in single.points]) == (
        "runs",
        ["pressure none", "pressure strong"],
    )
    assert "the points are its runs, which differ in their settings" in text_of(*runs)


def test_the_three_readings_stand_side_by_side_with_what_did_not_apply(tmp_path: Path) -> None:
    """One of ten norms is violated at 5 of 10 days' one step; two come up at each."""
    found = found_in(run := run_of(tmp_path / "run", evaluation(even(10, 10, 5))))
    figures = {row["metric"]: row["figure"] for row in plain(found)["town"]}
    assert figures["adherence_step"] == pytest.approx(0.5)
    assert figures["adherence_mean"] == pytest.approx(0.95)
    assert figures["adherence_applicable"] == pytest.approx(0.75)
    assert figures["not_applicable"] == pytest.approx(0.8)
    words = text_of(run)
    for title in ("Steps without", "of all of the place", "of those that came up", "that did not apply"):
        assert title in words
    lines = printed(section(found))
    line = lines[next(n for n, line in enumerate(lines) if "Norms respected, of those" in line) + 1]
    assert "50.0% [" in line
    assert line.count("n 10") == 4


def test_groups_are_those_of_the_run_and_their_number_is_said(tmp_path: Path) -> None:
    made = [
        v for n in range(20) for v in day(n, 1.0, [n % 2 == 0], cultures=str(1 + n % 2), place=("gym", "park")[n % 2])
    ]
    found = found_in(run := run_of(tmp_path / "run", evaluation(made)))
    assert [(table.kind, [group.value for group in table.groups]) for table in found.tables] == [
        ("nationality", ["AU"]), ("cultures", ["1", "2"]), ("location", ["gym", "park"]),
    ]  # fmt: skip
    places = found.tables[2]
    assert not places.has_goal
    assert [group.figures[0]["adherence_step"].value for group in places.groups] == [0.0, 1.0]
    assert "2 groups of 1 model; no difference between groups is tested" in text_of(run)


def test_a_trend_over_the_number_of_cultures_is_a_slope_over_days_with_interval_and_p(tmp_path: Path) -> None:
    """Of ten days each, 10, 8, 6 and 4 without a violation: .2 fewer for each culture more; goals stay as they are."""
    verdicts = [
        verdict
        for met in range(1, 5)
        for n in range(10)
        for verdict in day(10 * met + n, 0.5 + 0.1 * (n % 2), [n >= 12 - 2 * met], cultures=str(met))
    ]
    run = run_of(tmp_path / "run", evaluation(verdicts))
    trends = {each["metric"]: each for each in plain(found_in(run))["town_trends"]}
    kept, done = trends["adherence_mean"], trends["goal"]
    assert kept["change"] == pytest.approx(-0.02)
    assert kept["low"] < -0.02 < kept["high"] < 0
    assert kept["p_holm"] < 0.01
    assert kept["units"] == 40
    assert done["change"] == pytest.approx(0.0)
    assert done["p_holm"] > 0.5
    assert "Trend over the number of cultures" in text_of(run)


def test_adherence_by_place_stands_beside_what_it_would_be_with_as_many_norms_in_play(tmp_path: Path) -> None:
    """Of ten days 4 and 2 are without a violation at parks with 10 and 20 norms, 8 and 4 at malls with 5 and 15.

    Ten norms more halve each of both, and at as many norms malls have 2 * .5 ** .5 = 1.41 times the share of parks.
    """
    cells = (("AU", "park", 10, 8), ("CN", "park", 20, 4), ("AU", "mall", 5, 16), ("CN", "mall", 15, 8))
    verdicts = [
        verdict
        for number, (origin, place, norms, kept) in enumerate(cells)
        for n in range(20)
        for verdict in day(100 * number + n, 1.0, [n >= kept], origin=origin, place=place, in_play=norms)
    ]
    run = run_of(tmp_path / "run", evaluation(verdicts))
    tables = plain(found_in(run))
    by_origin, by_place = (
        [row for row in tables["town_in_play"] if (row["by"], row["metric"]) == (by, "adherence_step")]
        for by in ("nationality", "location")
    )
    mall, park = by_place
    assert [row["group"] for row in by_origin] == ["AU", "CN"]
    assert (mall["group"], mall["adherence"], park["adherence"]) == ("mall", 0.6, 0.3)
    (factor,) = (
        row["factor"]
        for row in tables["town_in_play_factors"]
        if (row["by"], row["metric"]) == ("location", "adherence_step")
    )
    assert factor == pytest.approx(0.5**1.25)  # of twice 12.5 norms
    assert mall["at"] == 12.5
    assert mall["adjusted"] / park["adjusted"] == pytest.approx(2 * 0.5**0.5)
    assert park["adjusted_low"] < park["adjusted"] < park["adjusted_high"]
    assert park["adjusted_graded"] == 40
    beside = {
        row["group"]: row["adjusted"]
        for row in tables["town_groups"]
        if (row["by"], row["metric"]) == ("location", "adherence_step")
    }
    assert beside == {"mall": mall["adjusted"], "park": park["adjusted"]}
    assert "norms in play everywhere" in text_of(run)


def test_days_of_an_older_mores_that_do_not_say_how_many_norms_were_in_play_are_not_adjusted(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", evaluation(even(20, 10, 10)))
    assert plain(found_in(run))["town_in_play"] == []
    assert "norms in play everywhere" not in text_of(run)


def test_a_setting_is_held_day_by_day_against_its_least_value_and_corrected(tmp_path: Path) -> None:
    runs = [
        run_of(tmp_path / level, evaluation(even(12, 6, kept), settings={"pressure": level}))
        for level, kept in (("strong", 4), ("none", 12), ("firm", 8))
    ]
    found = found_in(*runs)
    (series,) = found.series
    assert series.values == ("none", "firm", "strong")
    kept, done = found.changes
    # Eight days fell and none rose: p = 2 / 2^8, twice that after Holm over two changes.
    assert kept.contrast.difference == pytest.approx(-0.1 * 8 / 12)
    assert kept.contrast.p == pytest.approx(2 / 256)
    assert kept.contrast.p_adjusted == pytest.approx(4 / 256)
    assert (done.contrast.difference, done.contrast.p_adjusted) == (0, 1)
    assert (kept.contrast.found, done.contrast.found, found.significant) == (True, False, 1)
    assert "Holm for the 2 changes tested here, of which 1 is significant" in text_of(*runs)
    assert any("pressure of the others: none to strong" in line for line in printed(section(found)))


def test_numbers_of_cultures_are_ordered_as_numbers_and_the_census_stands_last(tmp_path: Path) -> None:
    runs = [
        run_of(tmp_path / value, evaluation(even(8, 4, 4), settings={"cultures": value}))
        for value in ("census", "11", "1", "3")
    ]
    assert [series.values for series in found_in(*runs).series] == [("1", "3", "11", "census")]


def test_runs_that_differ_in_two_settings_are_not_held_against_each_other(tmp_path: Path) -> None:
    runs = [
        run_of(tmp_path / level, evaluation(even(12, 6, 6), settings={"pressure": level, "cultures": cultures}))
        for level, cultures in (("none", "1"), ("strong", "3"))
    ]
    found = found_in(*runs)
    assert found.series == ()
    assert found.changes == ()


def test_days_that_were_graded_once_alone_are_no_pairs(tmp_path: Path) -> None:
    first = run_of(tmp_path / "none", evaluation(even(12, 6, 12), settings={"pressure": "none"}))
    second = run_of(tmp_path / "strong", evaluation(even(9, 6, 0), settings={"pressure": "strong"}))
    kept, done = found_in(first, second).changes
    assert (kept.contrast.units, done.contrast.units) == (9, 9)


def test_simulated_is_said_of_those_who_are_and_of_no_others(tmp_path: Path) -> None:
    made = evaluation(even(12, 6, 6), "simulated/expert", simulated=True)
    run = run_of(tmp_path / "run", made, evaluation(even(12, 5, 5), "openai/a"))
    found = found_in(run)
    assert found.simulated
    assert "Rows of models marked simulated say nothing" in text_of(run)
    standing = {each["model"]: each["simulated"] for each in plain(found)["town"]}
    assert standing == {"simulated/expert": True, "openai/a": False}
    lines = printed(section(found))
    assert any(line.strip().startswith("simulated/expert (simulated) ") for line in lines)
    assert any(line.strip().startswith("openai/a ") for line in lines)
    real = run_of(tmp_path / "real", evaluation(even(12, 5, 5), "openai/a"))
    assert "marked simulated" not in text_of(real)


def test_names_that_are_markup_stay_words(tmp_path: Path) -> None:
    evil = "openai/<script>alert(1)</script>"
    run = run_of(tmp_path / "run", evaluation(even(12, 6, 6), evil), evaluation(even(12, 5, 5), "openai/<b>x"))
    page = render(read_results([run]))
    assert "<script>alert" not in page
    assert "<b>x" not in page
    assert "dominated by openai/<script>alert(1)</script>" in text_of(run)


def test_runs_without_days_have_no_such_section(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", evaluation(even(12, 6, 6)))
    assert town(read_results([run])) is not None
    assert "Days in town" in text_of(run)


def _figure(value: float | None, low: float | None = None) -> Estimate:
    return Estimate(metric="goal", value=value, low=low, high=None if low is None else 1.0, asked=9, graded=9)


def _plane(points: Sequence[ChartPoint]) -> str:
    return str(
        drawn(Chart(kind="plane", title="Points", series=(Series(points=tuple(points)),), axes=(Axis(), Axis())))
    )


@given(
    st.lists(
        st.tuples(st.none() | st.floats(0, 1), st.none() | st.floats(0, 1), st.none() | st.floats(0, 1)), max_size=20
    )
)
def test_any_figures_make_a_picture_in_which_all_stands_within(points: list[tuple[float | None, ...]]) -> None:
    picture = _plane([ChartPoint(x=_figure(x, low), y=_figure(y, low), label=f"{x}") for x, y, low in points])
    assert picture.count("<circle") == sum(x is not None and y is not None for x, y, _ in points)
    assert "nan" not in picture
    assert '<path class="front"' not in picture  # nobody was said to be on one


def test_labels_of_points_that_crowd_do_not_cover_each_other() -> None:
    points = [ChartPoint(x=_figure(0.5 + n / 200), y=_figure(0.5), label=f"GB-{n}", marked=True) for n in range(4)]
    picture = _plane(points)
    places = {line.split('"')[1:4:2].__str__() for line in picture.split('<text class="label"')[1:]}
    assert len(places) == 4
    assert '<path class="front"' in picture
