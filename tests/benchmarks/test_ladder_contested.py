"""Norms that are disputed and items at a boundary: they count in no figure but their own, and the run tells of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import mores
from mores.analysis.controls import KEPT, analyse, gains
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.ladder.pack_info import describe_checking
from mores.benchmarks.scoring import Scoring
from mores.core.estimate import SEPARATE, Estimate
from mores.core.seeds import Seed
from mores.core.verdict_table import VerdictTable
from mores.norms.pack import load_pack
from mores.runs.loading import read_results
from mores.runs.selection import drawn_by, select
from mores.tables.formatting import group_name, kind_name
from tests.benchmarks.plays import TINY, Open, figure, setting_of, tiny, verdicts_of

DISPUTED = "JP-etiquette-slippers"
RUNGS = ("know", "judge", "explain", "apply", "converse", "live")
every = pytest.mark.parametrize("rung", RUNGS)


def pack(folder: Path, *disputed: str) -> Path:
    """The tiny pack, in which some norms are disputed."""
    for path in (TINY / "ladder").glob("*.toml"):
        text = path.read_text(encoding="utf-8")
        for norm in disputed:
            text = text.replace(f'id = "{norm}"\ndomain', f'id = "{norm}"\ncontested = "The young."\ndomain')
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder


QUESTION = """[[norm.know]]
question = "Who in Japan leaves them on at the door?"
options = [{ text = "The post.", true = true }, { text = "Aunts.", true = false }]
boundary = "https://example.org/"
"""
SCENE = """[[norm.judge]]
story = "Bea brings the post to a home in Japan with her shoes on."
question = "Was that acceptable there?"
label = "yes"
why = "It holds for nobody who brings the post."
boundary = "https://example.org/"
"""


def with_boundary(folder: Path) -> Path:
    """The tiny pack, in which the first norm of Japan has a question and a scene about where it ends."""
    pack(folder)
    path = folder / "JP.toml"
    text = path.read_text(encoding="utf-8")
    head, mark, rest = text.partition("[norm.explain]")
    head = head.replace("[norm.know]", "[[norm.know]]").replace("[norm.judge]", f"{QUESTION}[[norm.judge]]")
    path.write_text(f"{head}{SCENE}{mark}{rest}", encoding="utf-8")
    return folder


def scored(rung: str, data: Path) -> tuple[Scoring[Any], VerdictTable, Setting]:
    benchmark, setting, _ = tiny(f"ladder/{rung}")
    setting = setting_of(benchmark, data, settings=setting.protocol.settings)
    spec = "simulated/typical:format_error=0,false_alarm=0"
    table = VerdictTable(verdicts_of(benchmark, setting, benchmark.items(setting), Open(spec)))
    return benchmark.scoring(setting), table, setting


def figures(rung: str, data: Path) -> Sequence[Estimate]:
    scoring, table, setting = scored(rung, data)
    return scoring.estimates(scoring.score(table), setting.seed)


@every
def test_a_disputed_norm_counts_in_no_figure_but_that_of_the_contested(rung: str, tmp_path: Path) -> None:
    before, after = figures(rung, TINY / "ladder"), figures(rung, pack(tmp_path, DISPUTED))
    headline = before[0].metric
    assert figure(after, headline, apart="contested").asked == 1
    assert figure(after, headline).asked == figure(before, headline).asked - 1
    for group in ({"place": "JP"}, {"domain": "etiquette"}):
        assert figure(after, headline, **group).asked == figure(before, headline, **group).asked - 1
    assert not any("apart" in each.group for each in before)


@every
def test_rungs_are_compared_by_the_other_norms_alone(rung: str, tmp_path: Path) -> None:
    scoring, table, _ = scored(rung, pack(tmp_path, DISPUTED))
    found = scoring.score(table)
    assert DISPUTED not in found[KEPT].keys.unit.names
    assert found.separate[KEPT].keys.unit.names == (DISPUTED,)
    assert sum(len(rows) for rows in found.every(KEPT)) == len(load_pack(TINY / "ladder").norms)


def test_a_pack_whose_norms_are_all_disputed_has_figures_of_these_alone(tmp_path: Path) -> None:
    ids = [entry.norm.id for entry in load_pack(TINY / "ladder").norms]
    found = figures("judge", pack(tmp_path, *ids))
    assert (figure(found, "accuracy").value, figure(found, "accuracy").asked) == (None, 0)
    assert figure(found, "accuracy", apart="contested").asked == len(ids)


def test_a_run_says_how_many_norms_stand_apart(tmp_path: Path) -> None:
    benchmark, setting, _ = tiny("ladder/judge")
    told = "1 norm is contested by people of the place, and scored apart from the others."
    assert told not in " ".join(benchmark.remarks(setting))
    data = pack(tmp_path, DISPUTED)
    assert told in benchmark.remarks(setting_of(benchmark, data, settings=setting.protocol.settings))
    assert describe_checking([entry.norm for entry in load_pack(data).norms]).endswith(told)


BOTH = pytest.mark.parametrize("rung", ["know", "judge"])
SHOES = "JP-etiquette-shoes"


@BOTH
def test_an_item_at_a_boundary_counts_in_no_figure_but_that_of_the_boundaries(rung: str, tmp_path: Path) -> None:
    before, after = figures(rung, TINY / "ladder"), figures(rung, with_boundary(tmp_path))
    headline = before[0].metric
    assert figure(after, headline, apart="boundary").asked == 1
    for group in ({}, {"place": "JP"}, {"domain": "etiquette"}):
        one, other = figure(before, headline, **group), figure(after, headline, **group)
        assert (one.asked, one.value, one.low) == (other.asked, other.value, other.low)
    assert (group_name("apart", "boundary"), kind_name("apart")) == ("boundary items", "scored separately")


@BOTH
def test_rungs_are_compared_without_items_at_a_boundary(rung: str, tmp_path: Path) -> None:
    scoring, table, _ = scored(rung, with_boundary(tmp_path))
    plain, plain_table, _ = scored(rung, TINY / "ladder")
    found, before = scoring.score(table), plain.score(plain_table)
    assert found[KEPT].keys.unit.texts() == before[KEPT].keys.unit.texts()
    assert found[KEPT].value.tolist() == before[KEPT].value.tolist()
    assert found.separate[KEPT].keys.unit.names == (SHOES,)


@BOTH
def test_a_limit_draws_norms_with_their_boundaries_and_a_boundary_is_no_norm_more(rung: str, tmp_path: Path) -> None:
    benchmark, setting, _ = tiny(f"ladder/{rung}")
    data = with_boundary(tmp_path)
    items = benchmark.items(setting_of(benchmark, data, settings=setting.protocol.settings))
    norms = [entry.norm.id for entry in load_pack(data).norms]
    for limit in range(1, len(norms) + 1):
        drawn = select(items, places=(), limit=limit, seed=Seed("x"))
        assert len({drawn_by(item) for item in drawn}) == limit
        units = {item.about.unit for item in drawn}
        assert (SHOES in units) == (f"{SHOES}~2" in units)


def test_a_disputed_norm_stands_with_the_contested_with_all_its_items(tmp_path: Path) -> None:
    path = with_boundary(tmp_path) / "JP.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace(f'id = "{SHOES}"\ndomain', f'id = "{SHOES}"\ncontested = "x"\ndomain'), encoding="utf-8"
    )
    found = figures("know", tmp_path)
    assert figure(found, found[0].metric, apart="contested").asked == 2
    assert not any(each.group.get("apart") == "boundary" for each in found)


def test_a_run_says_how_many_items_are_at_a_boundary(tmp_path: Path) -> None:
    benchmark, setting, _ = tiny("ladder/know")
    data = with_boundary(tmp_path)
    told = "2 items are at the boundary of 1 norm, and scored apart from the others."
    assert told in benchmark.remarks(setting_of(benchmark, data, settings=setting.protocol.settings))


def test_what_the_place_adds_at_boundaries_is_told_by_itself_and_moves_nothing_else(tmp_path: Path) -> None:
    mores.run("ladder/know", model="simulated/expert", control="masked", limit=60, out=tmp_path / "run")
    results = read_results([tmp_path / "run"])
    (gain,) = gains(results)
    found = {each.group.value: each for each in gain.families[SEPARATE]}
    assert found.keys() == {"boundary", "contested"}
    # The same items as in the row of the boundaries, on the same scale: with the place, less without it.
    (plain,) = results.evaluations
    rows = plain.scores.separate[KEPT]
    values = dict(zip(rows.keys.unit.texts(), rows.value, strict=True))
    kinds = dict(zip(rows.keys.unit.texts(), rows.keys.groups[SEPARATE].texts(), strict=True))
    at = [values[unit] for unit, kind in kinds.items() if kind == "boundary"]
    each = found["boundary"]
    assert each.a is not None
    assert each.b is not None
    assert each.units == len(at)
    assert each.b == pytest.approx(sum(at) / len(at))
    assert each.difference == pytest.approx(each.b - each.a)
    assert gain.whole.units + len(kinds) == len(plain.scores[KEPT].value) + len(values)
    laid_out = analyse(results)
    assert laid_out is not None
    assert {(None, None), ("boundary", None), ("contested", None)} <= {row[3:5] for row in laid_out.tables[0].rows}
