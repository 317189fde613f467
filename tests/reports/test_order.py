"""Whether an order of places is told, and what is said where it is not."""

import json
from collections import Counter
from pathlib import Path

import pytest

from mores.analysis.breakdown import RankReliability, order_of, orders_of
from mores.analysis.results import Results
from mores.analysis.units import headline_units
from mores.core import estimate
from mores.core.estimate import Estimate
from mores.core.verdict import Graded
from mores.reports.json_output import as_json
from mores.reports.page import write_page
from mores.reports.terminal import print_full
from mores.runs.loading import read_results
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables.formatting import describe_order
from tests.bundled import PLACES
from tests.reports.conftest import Held
from tests.reports.made import Made, about, run_of
from tests.reports.shown import words_on

Screen = pytest.CaptureFixture[str]
CODES = ("JP", "NG", "BR", "IN", "DE", "ID", "PE", "PL", "MA", "MX")


def made(folder: Path, *rights: list[int], each: int = 12) -> Results:
    """Models with so many right of each place's questions; a question is the harder the later it comes."""
    evaluations = []
    for number, right in enumerate(rights):
        verdicts = [
            Graded(about=about(f"{code}{n}", place=code), sample=0, task="strict", points=float(n < many),
                   label="yes" if n < many else "no", gold="yes")
            for code, many in zip(CODES, right, strict=False) for n in range(each)
        ]  # fmt: skip
        places = {
            f"accuracy {code}": Estimate(metric="accuracy", group={"place": code}, value=many / each, low=0, high=1,
                                         asked=each, graded=each)
            for code, many in zip(CODES, right, strict=False)
        }  # fmt: skip
        figures: dict[str, float | Estimate] = {"accuracy": sum(right) / (each * len(right)), **places}
        evaluations.append(Made(model=f"openai/m{number}", benchmark="odd/tea", verdicts=verdicts, figures=figures))
    return read_results([run_of(folder, *evaluations)])


APART, ALIKE = [1, 2, 4, 5, 6, 7, 8, 10, 11, 12], [7, 8, 8, 7, 9, 8, 7, 8, 8, 9]


def words_of(order: RankReliability) -> str:
    return describe_order(order.kind, order.found, order.unit)


def told(results: Results, capsys: Screen) -> str:
    print_full(results, results.runs[0] / "report.html")
    return " ".join(capsys.readouterr().out.split())


def test_places_that_lie_apart_are_put_in_order_with_its_reliability(tmp_path: Path, capsys: Screen) -> None:
    out = told(made(tmp_path / "run", APART), capsys)
    assert "Places, 3 weakest and 3 strongest of 10, weakest first" in out
    assert "Reliability of the order of places: 0.85 [0.70, 0.91]." in out
    assert out.index("Japan 12 8.3%") < out.index("Nigeria") < out.index("…") < out.index("Mexico 12 100.0%")
    assert "Germany" not in out


def test_places_that_are_alike_are_not_and_it_says_how_many_units_would_do(tmp_path: Path, capsys: Screen) -> None:
    out = told(made(tmp_path / "run", ALIKE), capsys)
    assert "weakest" not in out
    assert "strongest" not in out
    assert "Places are not ranked: reliability 0.00 [0.00, 0.62], under 0.5;" in out
    assert "chance alone explains the differences, at least" in out
    some = told(made(tmp_path / "more", [6, 9, 6, 9, 4, 9, 8, 7, 5, 11]), capsys)
    assert "under 0.5; about" in some
    assert "units in each would give 0.8." in some


def test_few_groups_without_an_order_stand_by_name(tmp_path: Path, capsys: Screen) -> None:
    out = told(made(tmp_path / "run", ALIKE[:6]), capsys)
    assert "Places, all of them, by name" in out
    places = ("Brazil", "Germany", "India", "Indonesia", "Japan", "Nigeria")
    assert sorted(places, key=out.index) == list(places)
    apart = told(made(tmp_path / "more", [12, 1, 3, 8, 11, 0]), capsys)
    assert "Places, all of them, weakest first" in apart
    assert apart.index("Indonesia") < apart.index("Nigeria") < apart.index("Japan")


def test_half_reliable_is_no_order_where_chance_alone_may_give_it(tmp_path: Path) -> None:
    order = order_of(made(tmp_path / "run", APART[:6]).evaluations, "place")
    assert words_of(order).startswith("Places are not ranked: reliability 0.52 [0.00, 0.82], which chance alone may")


def test_of_several_models_it_is_that_of_their_means(tmp_path: Path) -> None:
    found = made(tmp_path / "run", APART, APART[::-1])
    one, both = order_of(found.evaluations[:1], "place"), order_of(found.evaluations, "place")
    assert one.ranks
    assert not both.ranks
    assert both.found.units == 120


def test_programs_and_the_page_get_it_too(tmp_path: Path) -> None:
    found = made(tmp_path / "run", APART)
    (line,) = as_json(found, tmp_path)
    of_places = json.loads(line)["benchmarks"]["odd/tea"]["reliability"]["place"]
    order = order_of(found.evaluations, "place")
    assert of_places["value"] == order.found.value
    assert (of_places["groups"], of_places["units"]) == (10, 120)
    assert 0 < of_places["low"] < of_places["value"] < of_places["high"] <= 1
    write_page(found, tmp_path / "page.html")
    assert words_of(order) in words_on((tmp_path / "page.html").read_text(encoding="utf-8"))


def test_every_kind_of_group_has_one_and_places_of_a_region_count_the_same(held: Held) -> None:
    run = held("ladder/know")
    evaluation = read_results([run]).evaluations[0]
    orders = {order.kind: order for order in orders_of([evaluation])}
    assert (*orders, estimate.SEPARATE) == evaluation.kinds
    keys = headline_units(evaluation).keys
    norms = Counter(place for place, _ in {*zip(keys.place.texts(), keys.cluster.texts(), strict=True)})
    assert len(norms) == PLACES
    assert orders["place"].found.groups == sum(n >= MIN_CLUSTERS for n in norms.values())
    assert all(order.found.value is not None for order in orders.values())
