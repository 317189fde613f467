"""Runs of talks made by hand: the verdicts of a few scenes, at levels of pressure where their names say so."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mores.benchmarks.shapes.dialogues.analysis import DIALOGUES_ANALYSIS, analyse
from mores.benchmarks.shapes.pressure import PRESSURE
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.reports.page.write import render
from mores.runs.loading import read_results
from mores.tables import as_data, section_of
from mores.tables.blocks import Section
from tests.reports.made import Made
from tests.reports.test_page import Parts

NAME = "socialcc/dialogue"
WHOLE = {"awareness": 0.5, "commonsense": 0.25, "respected": 0.5, "behaviour": 1.5, "rounds": 3.0}


def verdict(item: str, task: str, points: float | None, **more: Any) -> Verdict:
    """A verdict on a scene; its level of pressure stands behind an @, in runs of `before` among its kinds alone."""
    scene, _, level = item.partition("@")
    groups = {"topic": more.pop("topic", "trust"), "dimension": "dates" + (f"|pressure {level}" if level else "")}
    before = more.pop("before", False)
    groups |= {PRESSURE: level} if level and not before else {}
    about = ItemMetadata(
        item=item,
        unit=scene,
        cluster=more.pop("cluster", scene),
        place=more.pop("place", "JP"),
        groups=groups,
        part=task,
    )
    if points is None:
        return Ungraded(about=about, sample=0, task=task, cause="judge: not JSON", raw="Hm.")
    label = more.pop("label", "yes" if points else "no")
    return Graded(about=about, sample=0, task=task, points=float(points), label=label, **{"reason": "So.", **more})


def talk(item: str, aware: float | None, respected: float | None, **more: Any) -> list[Verdict]:
    """The verdicts of one talk whose goal was reached, conduct by whether norms are respected."""
    conduct = None if respected is None else 2 + respected
    return [
        verdict(item, "awareness", aware, **more),
        verdict(item, "commonsense", 0, label="none", **more),
        verdict(item, "goal", 1, label="yes", **more),
        verdict(item, "respected", respected, label="yes" if respected else "no", **more),
        verdict(item, "behaviour", conduct, label=str(conduct and round(conduct)), **more),
        verdict(item, "rounds", 3, label="closing words", **more),
    ]


def evaluation(verdicts: Sequence[Verdict], model: str = "openai/a", **more: Any) -> Made:
    items = len({v.about.item for v in verdicts})
    also = {"plays": {"asked": items, "done": items}}
    figures = {**WHOLE, **more.pop("figures", {})}
    return Made(
        model=model, benchmark=NAME, verdicts=verdicts, figures=figures, headline="behaviour", also=also, **more
    )


def rows_of(*runs: Path) -> dict[str, list[dict[str, Any]]]:
    """What programs read: the rows of each table."""
    return as_data(analyse(read_results(runs)))


def section(*runs: Path) -> Section:
    """What people see."""
    return section_of(DIALOGUES_ANALYSIS, analyse(read_results(runs)))


def text_of(*runs: Path) -> str:
    return Parts(render(read_results(runs))).text
