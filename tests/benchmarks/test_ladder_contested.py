"""Norms that people of a place dispute: they count in no figure but their own, and the run says how many they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mores.analysis.controls import KEPT
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.ladder.pack_info import describe_checking
from mores.benchmarks.scoring import Scoring
from mores.core.estimate import Estimate
from mores.core.verdict_table import VerdictTable
from mores.norms.pack import load_pack
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
