"""Figures of days by sums that are worked by hand: days of one resident differ by sample, and count as one resident."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from msgspec.structs import replace

from mores.analysis.units import units_of
from mores.benchmarks import catalogue
from mores.benchmarks.scoring import Scoring
from mores.benchmarks.shapes.scoring import VerdictMetric, VerdictSource, labelled
from mores.core.codec import encode_lines
from mores.core.estimate import Estimate, MetricRows
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict, decode_verdicts
from mores.core.verdict_table import VerdictTable
from tests.benchmarks.plays import TINY, figure
from tests.runs.conduct import mores

CARD = catalogue.card("liveculture/town")
KEPT = labelled("respected")
NORMS = VerdictMetric(task="norms", points=KEPT, open="open")
WORDS = {"v": "violated", "r": "respected", "o": "open", "?": None}


def day(resident: str, sample: int, cultures: str, steps: Mapping[str, str]) -> list[Verdict]:
    """A day by its steps in a row at each kind of place: v violated, r respected, o open, ? ungraded."""
    found: list[Verdict] = []
    for place, labels in steps.items():
        for label in labels:
            groups = {"nationality": "AU", "cultures": cultures, "location": place}
            about = ItemMetadata(
                item=resident, unit=resident, cluster=resident, place="AU", groups=groups, part=str(len(found))
            )
            found.append(
                Ungraded(about=about, sample=sample, task="norms", cause="judge: time-out")
                if label == "?"
                else Graded(about=about, sample=sample, task="norms", points=float(label != "v"), label=WORDS[label])
            )
    return found


def of(verdicts: Iterable[Verdict], reading: VerdictMetric = NORMS) -> tuple[Estimate, ...]:
    """Figures of one metric of a town."""
    card = replace(CARD, metrics=tuple(metric for metric in CARD.metrics if metric.name == "adherence_step"))
    scoring = Scoring(card, {"adherence_step": reading.measure}, VerdictSource)
    return scoring.estimates(scoring.score(VerdictTable(verdicts)), Seed("test"))


def day_points(verdicts: Iterable[Verdict]) -> dict[str, float]:
    """What each resident got over all days; one without a graded step is left out."""
    rows = NORMS.measure.rows(VerdictSource(VerdictTable(verdicts)))
    assert isinstance(rows, MetricRows)
    units = units_of(rows)
    named = zip(units.keys.unit.texts(), units.value.tolist(), strict=True)
    return {name: value for name, value in named if value == value}


def told(verdicts: Iterable[Verdict], reading: VerdictMetric = NORMS, **group: str) -> tuple[float | None, int, int]:
    """Value, asked and graded of one group."""
    found = figure(of(verdicts, reading), "adherence_step", **group)
    return found.value, found.asked, found.graded


def bounds(verdicts: Iterable[Verdict], **group: str) -> tuple[float | None, float | None]:
    found = figure(of(verdicts), "adherence_step", **group)
    return found.worst, found.best


TWO_DAYS = [*day("a", 0, "3", {"park": "vv", "gym": "r"}), *day("a", 1, "4", {"gym": "vvv", "park": "r"})]


def test_two_samples_of_one_resident_count_where_each_of_them_was() -> None:
    """Park: (0 + 1) / 2; gym: (1 + 0) / 2. By what the first sample alone was told, gym would have 1 of 2 steps."""
    assert told(TWO_DAYS, location="park") == (0.5, 1, 1)
    assert told(TWO_DAYS, location="gym") == (0.5, 1, 1)


def test_two_samples_of_one_resident_count_under_the_cultures_that_each_of_them_met() -> None:
    assert told(TWO_DAYS, cultures="3") == (round(1 / 3, 10), 1, 1)
    assert told(TWO_DAYS, cultures="4") == (0.25, 1, 1)
    assert told(TWO_DAYS) == (round((1 / 3 + 1 / 4) / 2, 10), 1, 1)


def test_a_place_where_only_one_sample_went_is_of_that_sample_alone() -> None:
    verdicts = [*day("a", 0, "3", {"park": "v"}), *day("a", 1, "3", {"gym": "r"})]
    assert told(verdicts, location="park") == (0.0, 1, 1)
    assert told(verdicts, location="gym") == (1.0, 1, 1)


def test_a_long_day_weighs_no_more_than_a_short_one_of_the_same_resident() -> None:
    verdicts = [*day("a", 0, "3", {"park": "v" * 29 + "r"}), *day("a", 1, "3", {"park": "r"})]
    assert told(verdicts) == told(verdicts, location="park") == (round((1 / 30 + 1) / 2, 10), 1, 1)
    assert day_points(verdicts) == {"a": pytest.approx((1 / 30 + 1) / 2)}


def test_a_resident_with_three_days_weighs_like_one_with_one() -> None:
    three = [verdict for sample in range(3) for verdict in day("a", sample, "3", {"park": "r"})]
    assert told([*three, *day("b", 0, "3", {"park": "v"})]) == (0.5, 2, 2)
    assert told([*three, *day("b", 0, "3", {"park": "v"})], cultures="3") == (0.5, 2, 2)


def test_the_order_in_which_samples_came_changes_no_figure() -> None:
    assert of(TWO_DAYS) == of([*TWO_DAYS[3:], *TWO_DAYS[:3]])


def test_figures_are_the_same_when_verdicts_are_read_back() -> None:
    read = decode_verdicts(encode_lines(TWO_DAYS).splitlines(), where="v")
    assert of(read) == of(TWO_DAYS)


def test_a_step_that_is_open_is_asked_and_not_graded_and_bounded_both_ways() -> None:
    """a: one of two steps is open, so 0 to 1/2; b: one known step."""
    verdicts = [*day("a", 0, "3", {"park": "vo"}), *day("b", 0, "3", {"park": "r"})]
    assert told(verdicts) == (0.5, 2, 2)
    assert bounds(verdicts) == (0.5, 0.75)


def test_a_day_whose_steps_are_all_open_is_asked_and_not_graded() -> None:
    verdicts = [*day("a", 0, "3", {"park": "oo"}), *day("b", 0, "3", {"park": "r"})]
    assert told(verdicts) == told(verdicts, location="park") == (1.0, 2, 1)
    assert bounds(verdicts) == (0.5, 1.0)
    assert day_points(verdicts) == {"b": 1.0}


def test_a_sample_that_is_open_widens_the_bounds_by_its_share_and_leaves_the_figure_to_the_other() -> None:
    verdicts = [*day("a", 0, "3", {"park": "oo"}), *day("a", 1, "3", {"park": "r"})]
    assert told(verdicts) == (1.0, 1, 1)
    assert bounds(verdicts) == (0.5, 1.0)


def test_an_open_step_counts_like_one_that_no_judge_could_read() -> None:
    open_steps = [*day("a", 0, "3", {"park": "vor"}), *day("b", 0, "3", {"gym": "o"})]
    unread = [*day("a", 0, "3", {"park": "v?r"}), *day("b", 0, "3", {"gym": "?"})]
    assert of(open_steps) == of(unread)


@pytest.mark.parametrize("worth", [None, KEPT, labelled("violated")])
def test_no_worth_makes_an_open_step_say_something(worth: Callable[..., Any] | None) -> None:
    assert told(day("a", 0, "3", {"park": "o"}), VerdictMetric(task="norms", points=worth, open="open")) == (None, 1, 0)


def test_a_reading_to_which_open_steps_say_something_has_them_as_they_are() -> None:
    assert told(day("a", 0, "3", {"park": "ov"}), VerdictMetric(task="norms")) == (0.5, 1, 1)


def test_samples_with_equal_groups_stand_at_one_index_and_others_do_not() -> None:
    alike = [verdict for sample in range(3) for verdict in day("a", sample, "3", {"park": "rr"})]
    assert VerdictTable(alike).frame("norms").item.tolist() == [0, 1] * 3
    other = [*day("a", 0, "3", {"park": "rr"}), *day("a", 1, "3", {"gym": "rr"}), *day("a", 2, "3", {"park": "rr"})]
    assert VerdictTable(other).frame("norms").item.tolist() == [0, 1, 2, 3, 0, 1]


def test_an_item_without_parts_stands_once_for_each_of_its_groups() -> None:
    park, gym = (ItemMetadata(item="a", unit="a", cluster="a", groups={"location": place}) for place in ("park", "gym"))
    verdicts = [Graded(about=about, sample=n, task="goal", points=1.0) for n, about in enumerate((park, gym, park))]
    assert VerdictTable(verdicts).frame("goal").item.tolist() == [0, 1, 0]


def test_figures_by_place_of_a_run_with_two_samples_are_those_that_its_verdicts_give(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = mores(
        "run", "liveculture/town", "--model", "simulated/typical", "--role", "supporter=simulated/tempter",
        "--judge", "simulated/judge", "--data", TINY / "liveculture", "--limit", 6, "--samples", 2,
        "--out", run, "--json", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (run / "verdicts.jsonl").read_text("utf-8").splitlines()]
    norms = [line for line in lines if line["task"] == "norms" and line.get("label") not in {None, "open"}]
    for kind in ("location", "cultures"):
        assert _differ_by_sample(norms, kind), "days are all alike, so that this shows nothing"
        assert _told(json.loads(done.stdout), kind) == _recomputed(norms, kind)


def _differ_by_sample(lines: Iterable[dict[str, Any]], kind: str) -> bool:
    found: dict[tuple[str, str], set[str]] = {}
    for line in lines:
        about = line["about"]
        found.setdefault((about["item"], about["part"]), set()).add(about["groups"][kind])
    return any(len(values) > 1 for values in found.values())


def _told(said: dict[str, Any], kind: str) -> dict[str, tuple[float, int]]:
    estimates = said["benchmarks"]["liveculture/town"]["estimates"]
    kept = [e for e in estimates if e["metric"] == "adherence_step" and kind in e["group"]]
    return {e["group"][kind]: (e["value"], e["graded"]) for e in kept}


def _recomputed(lines: Iterable[dict[str, Any]], kind: str) -> dict[str, tuple[float, int]]:
    """Steps by day, days by resident, residents by group."""
    found: dict[str, dict[str, dict[int, list[float]]]] = {}
    for line in lines:
        about = line["about"]
        days = found.setdefault(about["groups"][kind], {}).setdefault(about["unit"], {})
        days.setdefault(line["sample"], []).append(float(line["label"] == "respected"))
    return {
        value: (round(fmean(fmean(map(fmean, days.values())) for days in residents.values()), 10), len(residents))
        for value, residents in found.items()
    }
