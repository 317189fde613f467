"""The lines of progress where there is no terminal."""

import asyncio
import signal
from collections import Counter
from pathlib import Path

import pytest

from mores.cli import progress
from mores.models.budget import Budget
from mores.pipelines.pipeline import BuildProgress
from mores.runs.progress import RunProgress
from mores.runs.run_study import run_study
from mores.runs.spec import Spec
from mores.runs.study import Study

SPEC = Spec(benchmarks=("ladder/know", "ladder/judge"), models=("simulated/typical", "baseline/random"), limit=4)


def test_what_has_not_begun_is_among_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY", 0.01)
    begun = [RunProgress("a · know", 300, done=299), RunProgress("b · know", 300, done=299)]
    study = Study(spec=SPEC, folder=Path("unused"), progress=begun, waiting=600)

    async def watched() -> None:
        async with progress.shown(study):
            await asyncio.sleep(0.1)

    asyncio.run(watched())
    assert "mores: 598 of 1,200" in capsys.readouterr().err


def test_a_study_knows_how_much_has_not_begun_until_nothing_is_left(tmp_path: Path) -> None:
    study = Study(spec=SPEC, folder=tmp_path / "run")
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


def test_a_build_shows_what_it_dropped_what_waits_and_what_it_cost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY", 0.01)
    parts = [RunProgress("norms", 40, done=7, lost=Counter(dropped=2, waiting=1))]
    course = BuildProgress(budget=Budget(cost=0.25), progress=parts)

    async def watched() -> str | None:
        return await progress.carried_out(course, asyncio.sleep(0.1, "done"))

    assert asyncio.run(watched()) == "done"
    line = capsys.readouterr().err.splitlines()[0]
    assert "mores: 7 of 40," in line
    assert line.endswith("$0.2500 2 dropped 1 waiting")


def test_a_second_interrupt_ends_work_at_once() -> None:
    course = BuildProgress()

    async def interrupted() -> str | None:
        loop = asyncio.get_running_loop()
        for _ in range(2):
            loop.call_later(0.05, signal.raise_signal, signal.SIGINT)
        return await progress.carried_out(course, asyncio.sleep(60, "done"))

    assert asyncio.run(interrupted()) is None
    assert course.stop_signal.stopped
