"""Progress by calls: it advances within one long play, and a time left that grows says why. The clock is the test's."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from mores.cli.progress import WIDTH, line
from mores.cli.time_left import Look, Outlook, amounts
from mores.core.seeds import Seed
from mores.models.budget import Budget
from mores.models.client import ModelClient
from mores.models.journal import Journal
from mores.models.rate_limits import AdaptiveLimit, FairSemaphore
from mores.models.registry import Connection, open_model
from mores.models.simulated import Simulated
from mores.runs.progress import RunProgress, calls_of_a_play
from mores.runs.run_study import run_study
from mores.runs.spec import Spec
from mores.runs.study import Study

DAY = 510
"""Calls of a day in town, as outlined."""


class Clock:
    """Time that goes by as it is told to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Course:
    """A study of one evaluation whose calls are answered as the test says, and one who looks at it."""

    def __init__(self, folder: Path, plays: int, each: float) -> None:
        model = open_model("simulated/typical", Seed("test"), Connection())
        assert isinstance(model, Simulated)
        self.door = ModelClient(
            model=model, journal=Journal(folder / "journal.sqlite"), window=FairSemaphore(64), limit=AdaptiveLimit(64),
            budget=Budget(), seed=Seed("test"),
        )  # fmt: skip
        self.clock, self.progress = Clock(), RunProgress("m · b", plays, outlined=lambda: each, clients=(self.door,))
        self.study = Study(spec=Spec(benchmarks=("b",), models=("m",)), folder=folder, progress=[self.progress])
        self.study.clients.append(self.door)
        self.outlook = Outlook(self.study, self.clock)

    def after(self, seconds: float, answers: int, *, plays: int = 0, failed: int = 0) -> Look:
        """What is seen after so many seconds, in which this came."""
        self.clock.now += seconds
        self.door.answered += answers
        self.door.tally.failed_attempts += failed
        self.progress.done += plays
        return self.outlook.look()

    def line(self, look: Look) -> str:
        return line(self.study, look)


@pytest.fixture
def course(tmp_path: Path) -> Callable[[int, float], Course]:
    return lambda plays, each: Course(tmp_path, plays, each)


def test_one_long_play_advances_with_its_calls(course: Callable[[int, float], Course]) -> None:
    day = course(1, DAY)
    looks = [day.after(30, 10) for _ in range(12)]
    assert [look.done for look in looks] == [*range(10, 130, 10)]
    lefts = [look.left or 0.0 for look in looks]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[0] == pytest.approx(500 * 3)  # 500 calls are left, three seconds each
    assert day.line(looks[1]) == "mores: 20 of at most 510 calls, 24 min left, 20 a minute"


def test_a_time_that_grows_says_why(course: Callable[[int, float], Course]) -> None:
    day = course(1, DAY)
    day.after(30, 30)
    before = day.after(30, 30)
    slower = day.after(60, 8)
    assert (slower.left or 0) > (before.left or 0)
    assert slower.why == "answers take longer now"
    assert day.line(slower) == "mores: 68 of at most 510 calls, 55 min left, answers take longer now, 8 a minute"


def test_attempts_that_fail_are_the_reason_while_they_do(course: Callable[[int, float], Course]) -> None:
    day = course(1, DAY)
    day.after(60, 60)
    assert day.after(60, 8, failed=12).why == "12 tried again"
    assert day.after(100, 100).why == ""


def test_an_endpoint_that_asks_to_wait_is_the_reason(course: Callable[[int, float], Course]) -> None:
    day = course(1, DAY)
    day.after(60, 60)
    day.door.limit.pushed_back(100.0)
    assert day.after(60, 8, failed=1).why == "the endpoint asks to wait"
    assert day.after(120, 0).why == "the endpoint asks to wait"


def test_where_nothing_comes_no_time_is_told(course: Callable[[int, float], Course]) -> None:
    day = course(1, DAY)
    assert day.after(30, 0) == Look(0, DAY, of_calls=True)
    day.after(30, 10)
    still = day.after(90, 0)
    assert (still.left, still.rate, still.why) == (None, None, "no answer in the last minute")
    assert day.line(still) == "mores: 10 of at most 510 calls, no answer in the last minute"


def test_small_swings_do_not_move_what_was_told(course: Callable[[int, float], Course]) -> None:
    run = course(100, 10)
    looks = [run.after(10, answers) for answers in (100, 95, 105, 92, 100, 97)]
    ends = [10 * number + (look.left or 0.0) for number, look in enumerate(looks)]
    assert ends == sorted(ends, reverse=True)
    assert not any(look.why for look in looks)


def test_plays_that_took_fewer_calls_than_outlined_lower_what_is_expected(
    course: Callable[[int, float], Course],
) -> None:
    days = course(4, DAY)
    assert days.after(60, 150, plays=1).total == 600
    assert days.after(60, 150, plays=1).total == 600
    assert days.after(60, 300, plays=2).done == days.after(1, 0).total == 600


def test_a_line_fits_a_narrow_terminal_whatever_stands_in_it(course: Callable[[int, float], Course]) -> None:
    run = course(1_000_000, 9)
    run.study.budget.cost = 1_234.5678
    run.progress.lost["ungraded"] = 123_456
    run.after(60, 600_000)
    told = run.line(run.after(60, 1_000, failed=9_999))
    assert len(told) <= WIDTH
    assert told.startswith("mores: 601,000 of at most 9,000,000 calls")


def test_what_was_written_down_is_done_and_makes_nothing_quicker(course: Callable[[int, float], Course]) -> None:
    day = course(1, DAY)
    day.door.tally.from_journal = 400
    look = day.after(30, 10)
    assert look.done == 410
    assert look.left == pytest.approx(300)


@pytest.mark.parametrize("benchmark", ["ladder/know", "ladder/explain", "ladder/converse", "ladder/live"])
def test_a_study_expects_at_least_the_calls_that_it_makes(tmp_path: Path, benchmark: str) -> None:
    spec = Spec(benchmarks=(benchmark, "ladder/judge"), models=("simulated/typical",), limit=3)
    study = Study(spec=spec, folder=tmp_path / "run")
    first = {each.name: calls_of_a_play(each) * each.plays for each in study.evaluations()}
    seen: list[tuple[int, int]] = []

    async def watched() -> bool:
        running = asyncio.create_task(run_study(study))
        while not running.done():
            if study.progress:
                seen.append(amounts(study)[:2])
            await asyncio.sleep(0)
        return await running

    assert asyncio.run(watched())
    assert seen[0][1] == pytest.approx(sum(first.values()), abs=1)
    assert all(done <= total for done, total in seen)
    done, total, of_calls = amounts(study)
    assert of_calls
    assert done == total == sum(door.tally.asked for door in study.clients) > 0


def test_few_answers_are_judged_by_more_than_a_minute(course: Callable[[int, float], Course]) -> None:
    """A call in half a minute on average: whether a minute has one, two or three says nothing."""
    day = course(1, 100)
    looks = [day.after(30, answers) for answers in (2, 0, 2, 1, 0, 2, 0, 1, 1, 1, 0, 2)]
    assert not any(look.why for look in looks)
    assert looks[-1].left == pytest.approx(88 * 30, rel=0.25)


def test_a_reason_has_room_beside_the_largest_counts(course: Callable[[int, float], Course]) -> None:
    run = course(1_000_000, 9)
    run.after(60, 600_000)
    run.door.limit.pushed_back(100.0)
    told = run.line(run.after(60, 1_000))
    assert told.endswith("h left, the endpoint asks to wait")
    assert len(told) <= WIDTH
