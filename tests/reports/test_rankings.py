"""Models against each other in a report."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from mores.analysis.models_compared import MODELS_ANALYSIS, describe_verdict
from mores.analysis.rankings import BenchmarkRanking, Rankings, describe_incompatible, rankings
from mores.analysis.results import Results
from mores.core.estimate import NOTHING_GRADED, Estimate
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.reports.page import write_page
from mores.reports.terminal import print_full
from mores.runs.loading import read_results
from mores.stats.paired import mcnemar_exact
from mores.tables.blocks import Section
from mores.tables.formatting import format_range
from mores.tables.missing_texts import format_caution
from tests.bundled import MANY, SOME
from tests.reports import shown
from tests.reports.conftest import Held
from tests.reports.made import Made, about, run_of
from tests.reports.shown import data, printed, words_on

HOSTILE = "openai/<b>bold</b>"


def verdicts(points: Sequence[float | None]) -> list[Verdict]:
    found: list[Verdict] = []
    for n, each in enumerate(points):
        where = about(f"i{n}", place=("GE", "JP", "NG")[n % 3])
        if each is None:
            found.append(Ungraded(about=where, sample=0, task="strict", cause="timeout", gold="yes"))
        else:
            found.append(Graded(about=where, sample=0, task="strict", points=each, label="yes", gold="yes"))
    return found


def study(folder: Path, **models: Sequence[float | None]) -> Results:
    made = [
        Made(model=name.replace("__", "/"), benchmark="odd/tea", verdicts=verdicts(points),
             figures={"accuracy": float(np.mean([p for p in points if p is not None]))})
        for name, points in models.items()
    ]  # fmt: skip
    return read_results([run_of(folder, *made)])


def section(results: Results) -> Section:
    found = shown.analysed(MODELS_ANALYSIS, results)
    assert found is not None
    return found


def analysed(results: Results) -> Rankings:
    found = rankings(results)
    assert found is not None
    return found


def ranked(results: Results) -> BenchmarkRanking:
    (found,) = analysed(results).ranked
    return found


GOOD, FAIR, BAD = [1.0] * 54 + [0.0] * 6, [1.0] * 52 + [0.0] * 8, [1.0, 0.0, 0.0] * 20


def test_a_model_that_cannot_be_told_from_the_first_is_named(tmp_path: Path) -> None:
    found = ranked(study(tmp_path / "run", a__bad=BAD, a__good=GOOD, a__fair=FAIR))
    assert [(s.label, format_range(s.low, s.high)) for s in found.standings] == [
        ("a/good", "1–2"),
        ("a/fair", "1–2"),
        ("a/bad", "3"),
    ]
    assert (
        describe_verdict(found)
        == "No single best model: a/good has the highest mean and is not distinguishable from a/fair."
    )
    assert [s.is_behind for s in found.standings] == [False, False, True]
    assert (found.family, found.units, found.left_out, found.test) == (3, 60, 0, "McNemar exact")


def test_differences_from_the_first_are_paired_and_corrected_for_all_pairs(tmp_path: Path) -> None:
    found = ranked(study(tmp_path / "run", a__good=GOOD, a__fair=FAIR, a__bad=BAD))
    fair, bad = (standing.against for standing in found.standings[1:])
    assert fair is not None
    assert bad is not None
    # Two questions that the first has right and the second wrong, and none the other way round.
    assert fair.difference == pytest.approx(-2 / 60)
    assert fair.p == pytest.approx(mcnemar_exact(2, 0))
    assert fair.p_adjusted == pytest.approx(mcnemar_exact(2, 0))
    # The first alone has 36 of its 54 right, and the bad one alone questions 54 and 57.
    assert bad.p == pytest.approx(mcnemar_exact(36, 2))
    assert bad.p_adjusted == pytest.approx(3 * mcnemar_exact(36, 2))


def test_only_units_that_all_have_a_grade_on_are_ranked(tmp_path: Path) -> None:
    found = ranked(study(tmp_path / "run", a__good=[None, None, *GOOD[2:]], a__fair=FAIR, a__bad=[*BAD[:-1], None]))
    assert (found.units, found.left_out) == (57, 3)
    assert found.standings[0].mean == pytest.approx(52 / 57)


def test_one_far_ahead_is_first(tmp_path: Path) -> None:
    worse = [0.0, 1.0, 0.0] * 20
    found = ranked(study(tmp_path / "run", a__good=GOOD, a__bad=BAD, a__worse=worse))
    assert (found.standings[0].low, found.standings[0].high) == (1, 1)
    assert describe_verdict(found) == "a/good is first, and differs from every other model."


def test_too_few_clusters_have_no_order(tmp_path: Path) -> None:
    found = ranked(study(tmp_path / "run", a__x=[1.0] * 6, a__y=[0.0] * 6, a__z=[1.0, 0.0] * 3))
    assert describe_verdict(found) == "No ranking is possible: too few clusters: 6, at least 8 are needed."
    assert {format_range(s.low, s.high) for s in found.standings} == {"–"}


def test_three_models_with_nothing_graded_are_said_to_have_nothing_graded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    none = verdicts([None] * 12)
    no_figure = Estimate(metric="accuracy", value=None, asked=12, graded=0, missing=NOTHING_GRADED)
    made = [
        Made(model=f"a/{name}", benchmark="odd/tea", verdicts=none, figures={"accuracy": no_figure}) for name in "xyz"
    ]
    results = read_results([run_of(tmp_path / "run", *made)])
    assert [*map(describe_incompatible, analysed(results).not_compared)] == [
        "odd/tea: nothing was graded of a/x, a/y, a/z."
    ]
    print_full(results, tmp_path / "run" / "report.html")
    out = " ".join(capsys.readouterr().out.split())
    assert "Not compared: odd/tea: nothing was graded of a/x, a/y, a/z." in out
    page = tmp_path / "page.html"
    write_page(results, page)
    assert "Not compared: odd/tea: nothing was graded" in words_on(page.read_text(encoding="utf-8"))
    assert "nan%" not in out
    assert "nan%" not in page.read_text(encoding="utf-8")


def test_models_that_no_unit_has_in_common_are_not_ranked(tmp_path: Path) -> None:
    thirds = {f"a__{n}": [1.0 if unit % 3 == n else None for unit in range(12)] for n in range(3)}
    found = analysed(study(tmp_path / "run", **thirds))
    assert found.ranked == ()
    assert [*map(describe_incompatible, found.not_compared)] == [
        "odd/tea: none of the units was graded for all 3 models."
    ]


def test_two_models_get_their_difference_by_place_with_both_corrections(held: Held) -> None:
    run = held("ladder/know", places=MANY, models=("simulated/typical:person=1", "simulated/typical:person=1,know=.3"))
    (pair,) = analysed(read_results([run])).pairs
    assert list(pair.families) == ["place", "domain"]
    tested = sum(place.p is not None for place in pair.places)
    able = [group for members in pair.families.values() for group in members if group.p is not None and group.able]
    assert {place.family for place in pair.places if place.p is not None} == {len(able)}
    told = "\n".join(printed(section(read_results([run]))))
    assert f"Places, {tested} tested" in told
    assert "for screening (on average at most one in twenty of those is false)" in told
    assert "Minimum detectable effect:" in told


def test_the_family_stands_in_terminal_page_and_json(
    tmp_path: Path, held: Held, capsys: pytest.CaptureFixture[str]
) -> None:
    models = tuple(f"simulated/typical:person={n}" for n in range(1, 5))
    run = held("ladder/judge", places=SOME, models=models)
    results = read_results([run])
    print_full(results, run / "report.html")
    assert "A family of 6 pairs" in " ".join(capsys.readouterr().out.split())
    write_page(results, tmp_path / "page.html")
    assert "A family of 6 pairs" in (tmp_path / "page.html").read_text(encoding="utf-8")
    plain = data(section(results))
    (found,) = plain["model_rankings"]
    assert (found["tests"], found["models"], found["simulated"]) == (6, 4, True)
    assert all(each["rank_low"] <= each["rank"] <= each["rank_high"] for each in plain["models"])
    assert sum(each["first_share"] for each in plain["models"]) == pytest.approx(1)
    assert [each["tests"] for each in plain["models"]] == [None, 6, 6, 6]


def test_each_rank_is_a_row_and_the_first_stands_behind_nobody(tmp_path: Path) -> None:
    results = study(tmp_path / "run", a__good=GOOD, a__fair=FAIR, a__bad=BAD)
    rows, found = data(section(results))["models"], ranked(results)
    assert [(row["model"], row["rank"], row["mean"]) for row in rows] == [
        (each.label, each.rank, each.mean) for each in found.standings
    ]
    assert [row["claim"] for row in rows] == [
        "highest mean", "not distinguishable from the first", "worse than the first",
    ]  # fmt: skip
    first, fair, _ = rows
    assert (first["behind"], first["told_from_first"], first["units"]) == (None, None, None)
    assert (fair["behind"], fair["told_from_first"], fair["units"]) == (pytest.approx(-2 / 60), False, 60)
    assert fair["units_needed"] > 60


def test_the_difference_of_two_models_has_the_tables_of_two_runs(tmp_path: Path) -> None:
    plain = data(section(study(tmp_path / "run", a__good=GOOD, a__bad=BAD)))
    (pair,) = plain["model_pairs"]
    assert (pair["model_a"], pair["model_b"], pair["units"]) == ("a/good", "a/bad", 60)
    assert pair["right_in_a"] == next(
        row["units"] for row in plain["model_outcomes"] if (row["in_a"], row["in_b"]) == ("right", "wrong")
    )
    assert {row["place"] for row in plain["model_differences"] if row["place"]} == {"GE", "JP", "NG"}
    assert plain["models"] == plain["model_rankings"] == plain["models_not_compared"] == []


def test_models_that_others_judged_are_not_ranked_with_them(tmp_path: Path) -> None:
    made = [
        Made(model=f"a/{name}", benchmark="odd/tea", verdicts=verdicts(GOOD), figures={"accuracy": 0.9},
             roles={"judge": judge})
        for name, judge in (("x", "b/one"), ("y", "b/one"), ("z", "b/two"))
    ]  # fmt: skip
    found = analysed(read_results([run_of(tmp_path / "run", *made)]))
    assert [(pair.a.label, pair.b.label) for pair in found.pairs] == [("a/x", "a/y")]
    assert found.ranked == ()
    assert "other roles" in describe_incompatible(found.not_compared[0])


def test_who_judged_itself_is_named(tmp_path: Path) -> None:
    made = [
        Made(model=f"a/{name}", benchmark="odd/tea", verdicts=verdicts(points), figures={"accuracy": 0.9},
             roles={"judge": "a/x"})
        for name, points in (("x", GOOD), ("y", FAIR), ("z", BAD))
    ]  # fmt: skip
    found = ranked(read_results([run_of(tmp_path / "run", *made)]))
    assert "a/x was judged by itself" in map(format_caution, found.notes)


def test_names_of_models_stay_words(tmp_path: Path) -> None:
    models = {HOSTILE: GOOD, "a/fair": FAIR, "a/bad": BAD}
    write_page(study(tmp_path / "run", **models), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>bold" not in page
    assert "openai/&lt;b&gt;bold" in page


def test_one_model_has_nobody_to_stand_against(tmp_path: Path) -> None:
    assert rankings(study(tmp_path / "run", a__good=GOOD)) is None
