"""Talks in a report, in numbers: the drop under pressure, places, values, and who is aware without knowing."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from mores.benchmarks.shapes.dialogues.analysis import MOST_PLACES
from mores.benchmarks.shapes.dialogues.section import dialogues_section
from mores.blocks import Axis, Beside, Chart, Details, Point, Series
from mores.blocks.reasons import format_missing
from mores.core.estimate import Estimate
from mores.core.verdict import Verdict
from mores.reports.charts import drawn
from mores.runs.loading import read_results
from tests.reports.made import run_of
from tests.reports.made_talks import evaluation, found_in, plain, talk, text_of, verdict
from tests.reports.shown import printed


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """This section alone stands on pages."""
    monkeypatch.setattr("mores.reports.analysis.ANALYSES", (dialogues_section,))


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


def test_the_drop_is_paired_by_scene_from_the_weakest_level_to_the_strongest(tmp_path: Path) -> None:
    found = found_in(run_of(tmp_path / "run", evaluation(pressed(12, 4))))
    ((each, aware), (_, kept)) = found.drops
    assert (each.levels[0], each.levels[-1]) == ("none", "strong")
    assert kept.b == 1
    assert kept.a == pytest.approx(4 / 12)
    assert kept.difference == pytest.approx(8 / 12)
    assert (kept.units, kept.clusters, kept.test) == (12, 12, "McNemar exact")
    # Eight scenes fell and none rose: p = 2 / 2^8, twice that after Holm over two drops.
    assert kept.p == pytest.approx(2 / 256)
    assert kept.p_adjusted == pytest.approx(4 / 256)
    assert (aware.difference, aware.p, aware.p_adjusted) == (0, 1, 1)
    assert (kept.found, aware.found, found.fell) == (True, False, 1)


def test_runs_that_named_the_level_among_the_kinds_of_custom_have_the_same_drops(tmp_path: Path) -> None:
    now, before = (
        found_in(run_of(tmp_path / f"{before}", evaluation(pressed(12, 4, before=before)))) for before in (False, True)
    )
    assert [drop for _, drop in now.drops] == [drop for _, drop in before.drops]
    assert len(now.drops) == 2


def test_p_is_corrected_over_the_drops_of_all_models(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", *(evaluation(pressed(12, 4), model=f"openai/{name}") for name in "abc"))
    found = found_in(run)
    assert len(found.drops) == 6
    assert [drop.p_adjusted for _, drop in found.drops if drop.metric == "respected"] == pytest.approx(
        [6 * 2 / 256] * 3, abs=1e-9
    )
    assert "corrected by Holm for the 6 drops tested here, of which 3 are significant" in text_of(run)


def test_scenes_that_were_graded_at_one_level_alone_are_no_pairs(tmp_path: Path) -> None:
    verdicts = [*pressed(10, 5), *talk("s90@none", 1, 1), *talk("s91@strong", 1, None), *talk("s91@none", 1, 1)]
    assert [drop.units for _, drop in found_in(run_of(tmp_path / "run", evaluation(verdicts))).drops] == [11, 10]


def test_a_drop_over_few_clusters_has_no_interval_and_says_why(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", evaluation(pressed(12, 4, clusters=3)))
    _, drop = found_in(run).drops[1]
    assert drop.low is None
    assert "too few clusters: 3" in format_missing(drop.missing)
    assert "+66.7 (too few)" in text_of(run)


def test_a_run_with_one_level_has_no_curve_and_no_drop(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", evaluation([v for n in range(9) for v in talk(f"s{n}", 1, 1)]))
    found = found_in(run)
    assert (found.curves, found.drops) == ((), ())
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
    aware, kept = found_in(run).curves
    assert (aware.levels, kept.levels) == (("none", "firm", "strong"),) * 2
    assert [e.value if e else None for _, row in aware.rows for e in row] == [0.6, 0.55, 0.5]
    assert [e.value if e else None for _, row in kept.rows for e in row] == [0.9, 0.7, None]
    assert plain(run)["pressure"]["curves"][0]["figures"]["firm"]["value"] == 0.55
    assert "60.0% [50.0, 70.0] n 10" in text_of(run)


def test_a_curve_has_a_dot_a_level_and_stays_in_its_picture() -> None:
    figures = [
        Estimate(metric="m", value=v, low=v - 0.5, high=v + 0.5, asked=9, graded=9) if v is not None else None
        for v in (0.0, None, 1.0)
    ]
    series = tuple(Series(points=tuple(Point(y=figure) for figure in row)) for row in (figures, [None] * 3))
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
    (found,) = found_in(run_of(tmp_path / "run", evaluation(talk("s", 1, 1), figures=figures))).held
    assert len(found.spots) == MOST_PLACES == 21
    assert len(found.places) == 24
    assert {spot.place for spot in found.spots} == set(codes[3:])


def test_a_place_without_a_share_is_named_and_not_drawn(tmp_path: Path) -> None:
    figures = {"a": at("JP", "awareness", 0.9, 5), "k": at("JP", "commonsense", None, 5),
               "b": at("DE", "awareness", 0.4, 5), "l": at("DE", "commonsense", 0.3, 5)}  # fmt: skip
    run = run_of(tmp_path / "run", evaluation(talk("s", 1, 1), figures=figures))
    (found,) = found_in(run).held
    blocks = dialogues_section(read_results([run])).blocks
    details = next(b for b in blocks if isinstance(b, Details) and b.id == "social-places-1")
    (beside,) = details.blocks
    assert isinstance(beside, Beside)
    chart = beside.blocks[0]
    assert isinstance(chart, Chart)
    picture = str(drawn(chart))
    assert (picture.count("<circle"), ">DE<" in picture, ">JP<" in picture) == (1, True, False)
    assert {spot.place for spot in found.spots} == {"JP", "DE"}


def test_who_is_aware_without_knowing_is_told_by_the_kind_of_custom_alone(tmp_path: Path) -> None:
    def share(value: float, **group: str) -> Estimate:
        return Estimate(metric="aware_unknowing", group=group, value=value, asked=8, graded=8)

    figures = {"u": share(0.4), "d": share(0.6, dimension="dates"), "p": share(0.1, dimension="pressure none")}
    run = run_of(tmp_path / "run", evaluation(talk("s", 1, 1), figures=figures))
    (found,) = found_in(run).held
    assert found.unknowing is not None
    assert (found.unknowing.value, {kind: e.value for kind, e in found.kinds.items()}) == (0.4, {"dates": 0.6})
    assert "40.0%" in " ".join(printed(dialogues_section(read_results([run])))).partition("Aware without knowing")[2]


def test_values_are_plain_means_by_topic_and_group_of_the_value_s_place(tmp_path: Path) -> None:
    wanted = [("JP", "trust", 1), ("JP", "trust", 0), ("CN", "trust", 1), ("JP", "faith", 0), ("DE", "trust", 1)]
    verdicts = [*talk("s", 1, 1)]
    verdicts += [verdict(f"s{n}", "value", p, place=place, topic=topic) for n, (place, topic, p) in enumerate(wanted)]
    verdicts += [verdict("s9", "value", None), verdict("s8", "value", 1, place=None)]
    (found,) = found_in(run_of(tmp_path / "run", evaluation(verdicts, figures={"value": 0.5}))).held
    figures = {key: (e.value, e.graded) for key, e in found.values.items()}
    assert figures == {
        ("trust", "Confucian"): (pytest.approx(2 / 3), 3), ("faith", "Confucian"): (0, 1),
        ("trust", "Protestant Europe"): (1, 1),
    }  # fmt: skip
