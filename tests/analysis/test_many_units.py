"""Figures of very many units are reckoned kind by kind, and come out as they would all at once."""

import pytest

from mores.analysis import aggregate
from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.core.verdict_table import VerdictTable

PLACES = ("JP", "GE", "BR", "IN", "FR")


def _verdicts() -> list[Verdict]:
    found: list[Verdict] = []
    for number in range(240):
        about = ItemMetadata(
            item=f"hard-{number}", unit=f"question-{number // 4}", cluster=f"question-{number // 4}",
            place=PLACES[number // 4 % 5], groups={"mode": "single" if number % 8 < 4 else "multi"},
        )  # fmt: skip
        for task in ("strict", "lenient"):
            if number == 17:
                found.append(Ungraded(about=about, sample=0, task=task, cause="http 500", gold="true"))
                continue
            label = "true" if number * 7 % 5 < 3 else "false"
            points = float(label == "true")
            found.append(Graded(about=about, sample=0, task=task, points=points, label=label, gold="true"))
    return found


def test_kinds_reckoned_one_after_another_give_the_figures_of_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = catalogue.load("culturalbench/hard")
    setting = Setting(data=None, protocol=benchmark.card.protocol, seed=Seed("x"))
    scoring = benchmark.scoring(setting)
    scores = scoring.score(VerdictTable(_verdicts()))
    at_once = scoring.estimates(scores, Seed("x"))
    monkeypatch.setattr(aggregate, "MANY", 0)
    assert scoring.estimates(scores, Seed("x")) == at_once
    assert {kind for each in at_once for kind in each.group} >= {"place", "region", "mode"}
