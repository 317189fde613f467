"""How far places lie apart, and how far they would by chance."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from mores.analysis.benchmark_figures import describe_spread
from mores.analysis.gaps import spread_of
from mores.analysis.results import Result
from mores.core.estimate import Estimate
from mores.core.verdict import Graded, Verdict
from mores.reports.page import write_page
from mores.reports.terminal import print_full
from mores.runs.loading import read_results
from mores.stats.gaps import Gap
from tests.reports.made import Made, about, run_of
from tests.reports.shown import words_on


def answers(right: dict[str, Sequence[float]], *, cluster: str = "") -> list[Verdict]:
    """Answers of one word, by place."""
    return [
        Graded(about=about(f"{place}{n}", place=place, cluster=cluster and f"{cluster}{n}"), sample=0, task="strict",
               points=points, label="yes" if points else "no", gold="yes")
        for place, all_points in right.items() for n, points in enumerate(all_points)
    ]  # fmt: skip


def evaluation(folder: Path, verdicts: Sequence[Verdict], **figures: float | Estimate) -> Result:
    made = Made(model="openai/m", benchmark="odd/tea", verdicts=verdicts, figures={"accuracy": 0.5, **figures})
    return read_results([run_of(folder, made)]).evaluations[0]


def spread(found: Gap | None) -> Gap:
    assert found is not None
    return found


def alike(places: int, each: int) -> dict[str, Sequence[float]]:
    drawn = np.random.default_rng(5).random((places, each)) < 0.5
    return {f"P{n:02}": row.astype(float).tolist() for n, row in enumerate(drawn)}


def test_the_gap_is_that_of_the_figures_of_places(tmp_path: Path) -> None:
    found = spread(spread_of(evaluation(tmp_path / "run", answers({"GE": [1, 1, 1, 0] * 3, "JP": [0, 0, 1, 0] * 3}))))
    assert found.gap == pytest.approx(0.75 - 0.25)
    assert found.regions == 2


def test_places_that_are_alike_lie_as_far_apart_as_chance_puts_them(tmp_path: Path) -> None:
    found = spread(spread_of(evaluation(tmp_path / "run", answers(alike(20, 25)))))
    # The range of 20 means with standard error sqrt(.25 / 25) = .1 is .1 · 3.735 on average.
    assert found.null == pytest.approx(0.37, abs=0.03)
    assert found.p > 0.05
    assert found.shrunken < found.gap / 2


def test_a_true_gap_stands_out_and_is_left_when_noise_is_taken_out(tmp_path: Path) -> None:
    right = {**alike(9, 40), "ZZ": [1.0] * 39 + [0.0]}
    found = spread(spread_of(evaluation(tmp_path / "run", answers(right))))
    assert found.p < 0.01
    assert found.null < found.shrunken < found.gap


def test_clusters_that_lie_in_several_places_are_dealt_out_place_by_place(tmp_path: Path) -> None:
    found = spread(
        spread_of(evaluation(tmp_path / "run", answers({"GE": [1, 1, 0, 1] * 3, "JP": [1, 0] * 6}, cluster="c")))
    )
    assert (found.gap, found.regions) == (0.25, 2)
    assert 0 < found.null < 1


def test_one_place_has_no_spread(tmp_path: Path) -> None:
    assert spread_of(evaluation(tmp_path / "run", answers({"GE": [1, 0, 1]}))) is None


def test_where_the_run_has_dealt_itself_its_figures_stand(tmp_path: Path) -> None:
    own = Estimate(metric="region_gap", value=0.41, asked=9, graded=9, p=0.03)
    null = replace(own, metric="region_gap_null", value=0.2, p=None)
    found = spread(spread_of(evaluation(tmp_path / "run", answers(alike(4, 9)), region_gap=own, region_gap_null=null)))
    assert (found.gap, found.null, found.p) == (0.41, 0.2, 0.03)


def test_a_result_is_read_once_and_verdicts_that_changed_since_when_the_run_is_read_again(tmp_path: Path) -> None:
    first = evaluation(tmp_path / "run", answers({"GE": [1, 1], "JP": [0, 0]}))
    assert spread(spread_of(first)).gap == 1
    path = first.folder / "verdicts.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(json.dumps({**line, "points": 1.0}) + "\n" for line in lines), encoding="utf-8")
    assert spread(spread_of(first)).gap == 1
    assert spread(spread_of(read_results([first.run]).evaluations[0])).gap == 0


def test_terminal_and_page_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = answers(alike(6, 12))
    figures = [
        Estimate(metric="accuracy", group={"place": f"P{n:02}"}, value=0.5, asked=12, graded=12) for n in range(6)
    ]
    run = tmp_path / "run"
    found = evaluation(run, verdicts)
    told = json.loads((found.folder / "estimates.json").read_text(encoding="utf-8"))
    plain = [{"metric": e.metric, "group": e.group, "value": e.value, "asked": 12, "graded": 12} for e in figures]
    told["estimates"] += plain
    (found.folder / "estimates.json").write_text(json.dumps(told), encoding="utf-8")
    results = read_results([run])
    result = results.evaluations[0]
    words = describe_spread(spread(spread_of(result)), result.metric(result.headline))
    print_full(results, run / "report.html")
    assert words in " ".join(capsys.readouterr().out.split())
    write_page(results, tmp_path / "page.html")
    assert words in words_on((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert " by chance, p = " in words
    assert " noise-corrected)" in words
