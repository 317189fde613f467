"""Talks in a report, in numbers: the drop under pressure, places, values, and who is aware without knowing."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks.shapes.dialogues.pressing import MOST_PLACES
from mores.core.estimate import Estimate
from mores.core.verdict import Verdict
from mores.reports.charts import drawn
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Chart, ChartPoint, Details, Series, SideBySide
from tests.reports.made import run_of
from tests.reports.made_talks import evaluation, rows_of, section, talk, text_of, verdict
from tests.reports.shown import printed


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """This section alone stands on pages."""
    monkeypatch.setattr("mores.reports.sections_list.ANALYSES", ())


def pressed(
    scenes: int, held: int, noticed: Iterable[bool] = (), clusters: int = 0, *, before: bool = False
) -> list[Verdict]:
    """All norms respected without pressure, and in so many scenes under the strongest."""
    aware = list(noticed) or [True] * scenes
    return [
        v
        for n in range(scenes)
        for level, kept in (("none", True), ("firm", True), ("strong", n < held))
        for v in talk(f"s{n}@{level}", aware[n], kept, cluster=f"c{n % clusters if clusters else n}", before=before)
    ]


def drops(*runs: Path) -> list[dict[str, Any]]:
    return rows_of(*runs)["social_drops"]


def test_the_drop_is_paired_by_scene_from_the_weakest_level_to_the_strongest(tmp_path: Path) -> None:
    aware, kept = drops(run_of(tmp_path / "run", evaluation(pressed(12, 4))))
    assert (aware["metric"], kept["metric"]) == ("awareness", "respected")
    assert (kept["weakest"], kept["strongest"]) == ("none", "strong")
    assert (kept["before"], kept["after"], kept["drop"]) == pytest.approx((1, 4 / 12, 8 / 12))
    assert (kept["units"], kept["clusters"], kept["test"]) == (12, 12, "McNemar exact")
    # Eight scenes fell and none rose: p = 2 / 2^8, twice that after Holm over two drops.
    assert (kept["p"], kept["p_holm"]) == pytest.approx((2 / 256, 4 / 256))
    assert (aware["drop"], aware["p"], aware["p_holm"]) == (0, 1, 1)


def test_a_share_that_falls_is_said_with_its_size_and_none_in_one_sentence(tmp_path: Path) -> None:
    fallen = section(run_of(tmp_path / "fallen", evaluation(pressed(12, 4)))).findings
    assert [words.text_of(each.words) for each in fallen] == ["openai/a falls in “Norms respected” as pressure rises."]
    assert words.text_of(fallen[0].sure).startswith("By +66.7 [")
    held = section(run_of(tmp_path / "held", evaluation(pressed(12, 12)))).findings
    assert [(each.words, each.found) for each in held] == [("No share is found to fall as pressure rises.", False)]


def test_runs_that_named_the_level_among_the_kinds_of_custom_have_the_same_drops(tmp_path: Path) -> None:
    now, before = (
        drops(run_of(tmp_path / f"{before}", evaluation(pressed(12, 4, before=before)))) for before in (False, True)
    )
    assert [{**row, "run": ""} for row in now] == [{**row, "run": ""} for row in before]
    assert len(now) == 2


def test_p_is_corrected_over_the_drops_of_all_models(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", *(evaluation(pressed(12, 4), model=f"openai/{name}") for name in "abc"))
    found = drops(run)
    assert [row["tests"] for row in found] == [6] * 6
    kept = [row["p_holm"] for row in found if row["metric"] == "respected"]
    assert kept == pytest.approx([6 * 2 / 256] * 3, abs=1e-9)
    assert "corrected by Holm for the 6 drops tested here, of which 3 are significant" in text_of(run)


def test_scenes_that_were_graded_at_one_level_alone_are_no_pairs(tmp_path: Path) -> None:
    verdicts = [*pressed(10, 5), *talk("s90@none", 1, 1), *talk("s91@strong", 1, None), *talk("s91@none", 1, 1)]
    assert [row["units"] for row in drops(run_of(tmp_path / "run", evaluation(verdicts)))] == [11, 10]


def test_a_drop_over_few_clusters_has_no_interval_and_says_why(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", evaluation(pressed(12, 4, clusters=3)))
    _, drop = drops(run)
    assert drop["low"] is None
    assert "too few clusters: 3" in drop["why"]
    assert "+66.7 (too few)" in text_of(run)


def test_a_run_with_one_level_has_no_curve_and_no_drop(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", evaluation([v for n in range(9) for v in talk(f"s{n}", 1, 1)]))
    found = rows_of(run)
    assert (found["social_levels"], found["social_drops"]) == ([], [])
    assert "pressure rises" not in text_of(run)


def by_level(metric: str, **values: float) -> dict[str, Estimate]:
    return {
        f"{metric} {level}": Estimate(metric=metric, group={"dimension": f"pressure {level}"}, value=value,
                                      low=value - 0.1, high=value + 0.1, asked=10, graded=10)
        for level, value in values.items()
    }  # fmt: skip


def test_the_curve_shows_the_run_s_own_figures_level_by_level(tmp_path: Path) -> None:
    figures = {**by_level("awareness", strong=0.5, none=0.6, firm=0.55), **by_level("respected", none=0.9, firm=0.7)}
    run = run_of(tmp_path / "run", evaluation(pressed(9, 3), figures=figures))
    found = {(row["metric"], row["level"]): row["figure"] for row in rows_of(run)["social_levels"]}
    assert found == {
        ("awareness", "none"): 0.6, ("awareness", "firm"): 0.55, ("awareness", "strong"): 0.5,
        ("respected", "none"): 0.9, ("respected", "firm"): 0.7,
    }  # fmt: skip
    assert "60.0% [50.0, 70.0] n 10" in text_of(run)


def test_a_curve_has_a_dot_a_level_and_stays_in_its_picture() -> None:
    figures = [
        Estimate(metric="m", value=v, low=v - 0.5, high=v + 0.5, asked=9, graded=9) if v is not None else None
        for v in (0.0, None, 1.0)
    ]
    series = tuple(Series(points=tuple(ChartPoint(y=figure) for figure in row)) for row in (figures, [None] * 3))
    axes = (Axis(labels=("none", "firm", "strong")), Axis())
    picture = str(drawn(Chart(kind="curves", title="m", series=series, axes=axes)))
    assert picture.count('class="mark') == 2
    assert picture.count('class="curve c0 d0"') == 1
    assert "curve c1" not in picture
    assert 'role="img" aria-label="m"' in picture


def at(place: str, metric: str, value: float | None, asked: int) -> Estimate:
    return Estimate(
        metric=metric, group={"place": place}, value=value, asked=asked, graded=asked if value is not None else 0
    )


def test_the_places_with_most_scenarios_stand_in_the_map(tmp_path: Path) -> None:
    codes = [
        *("JP", "DE", "NG", "BR", "ET", "US", "FR", "IT", "ES", "PT", "PL", "RO"),
        *("GR", "TR", "IQ", "IR", "IN", "CN", "VN", "TH", "MY", "ID", "PH", "NZ"),
    ]
    figures = {f"{m} {c}": at(c, m, 0.5, 10 + n) for n, c in enumerate(codes) for m in ("awareness", "commonsense")}
    found = rows_of(run_of(tmp_path / "run", evaluation(talk("s", 1, 1), figures=figures)))["social_places"]
    assert MOST_PLACES == 21
    assert len(found) == 24
    assert {row["place"] for row in found if row["most"]} == set(codes[3:])


def test_a_place_without_a_share_is_named_and_not_drawn(tmp_path: Path) -> None:
    figures = {"a": at("JP", "awareness", 0.9, 5), "k": at("JP", "commonsense", None, 5),
               "b": at("DE", "awareness", 0.4, 5), "l": at("DE", "commonsense", 0.3, 5)}  # fmt: skip
    run = run_of(tmp_path / "run", evaluation(talk("s", 1, 1), figures=figures))
    details = next(b for b in section(run).blocks if isinstance(b, Details) and b.id == "social-places-1")
    (beside,) = details.blocks
    assert isinstance(beside, SideBySide)
    chart = beside.blocks[0]
    assert isinstance(chart, Chart)
    picture = str(drawn(chart))
    assert (picture.count("<circle"), ">DE<" in picture, ">JP<" in picture) == (1, True, False)
    assert {row["place"] for row in rows_of(run)["social_places"]} == {"JP", "DE"}


def test_who_is_aware_without_knowing_is_told_by_the_kind_of_custom_alone(tmp_path: Path) -> None:
    def share(value: float, **group: str) -> Estimate:
        return Estimate(metric="aware_unknowing", group=group, value=value, asked=8, graded=8)

    figures = {"u": share(0.4), "d": share(0.6, dimension="dates"), "p": share(0.1, dimension="pressure none")}
    run = run_of(tmp_path / "run", evaluation(talk("s", 1, 1), figures=figures))
    assert {row["kind"]: row["aware"] for row in rows_of(run)["social_unknowing"]} == {None: 0.4, "dates": 0.6}
    assert "40.0%" in " ".join(printed(section(run))).partition("Aware without knowing")[2]


def test_values_are_plain_means_by_topic_and_group_of_the_value_s_place(tmp_path: Path) -> None:
    wanted = [("JP", "trust", 1), ("JP", "trust", 0), ("CN", "trust", 1), ("JP", "faith", 0), ("DE", "trust", 1)]
    verdicts = [*talk("s", 1, 1)]
    verdicts += [verdict(f"s{n}", "value", p, place=place, topic=topic) for n, (place, topic, p) in enumerate(wanted)]
    verdicts += [verdict("s9", "value", None), verdict("s8", "value", 1, place=None)]
    found = rows_of(run_of(tmp_path / "run", evaluation(verdicts, figures={"value": 0.5})))["social_values"]
    assert {(row["topic"], row["wvs_group"]): (row["known"], row["graded"]) for row in found} == {
        ("trust", "Confucian"): (pytest.approx(2 / 3), 3), ("faith", "Confucian"): (0, 1),
        ("trust", "Protestant Europe"): (1, 1),
    }  # fmt: skip
