"""The lines of progress where there is no terminal."""

import asyncio
from pathlib import Path

import pytest

from mores.cli import show_progress
from mores.models.budget import Budget
from mores.runs.performance import run_study
from mores.runs.sitting import Progress
from mores.runs.spec import Conditions, Spec
from mores.runs.study import Study

SPEC = Spec(benchmarks=("ladder/know", "ladder/judge"), models=("simulated/typical", "baseline/random"), limit=4)


def test_what_has_not_begun_is_among_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(show_progress, "LINE_EVERY", 0.01)
    begun = [Progress("a · know", 300, done=299), Progress("b · know", 300, done=299)]
    study = Study(
        spec=SPEC, conditions=Conditions(), folder=Path("unused"), budget=Budget(), progress=begun, waiting=600
    )

    async def watched() -> None:
        async with show_progress.shown(study):
            await asyncio.sleep(0.1)

    asyncio.run(watched())
    assert "mores: 598 of 1200," in capsys.readouterr().err


def test_a_study_knows_how_much_has_not_begun_until_nothing_is_left(tmp_path: Path) -> None:
    study = Study(spec=SPEC, conditions=Conditions(), folder=tmp_path / "run", budget=Budget())
    plays = sum(len(evaluation.items) * evaluation.setting.protocol.samples for evaluation in study.evaluations())
    seen: list[int] = []

    async def watched() -> bool:
        running = asyncio.create_task(run_study(study))
        while not running.done():
            seen.append(study.waiting + sum(each.plays for each in study.progress))
            await asyncio.sleep(0)
        return await running

    assert asyncio.run(watched())
    assert set(seen) <= {0, plays}
    assert (seen[-1], study.waiting) == (plays, 0)
