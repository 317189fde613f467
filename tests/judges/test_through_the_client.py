"""A judge behind a real door: journalled, so that judging again asks nobody and says the same."""

from pathlib import Path

from mores.core.seeds import Seed
from mores.judges.judge import JudgeOutcome, JudgeResult, Unjudged, ask_judge
from mores.models.cast import Cast
from mores.models.client import ModelClient
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed
from tests.judges.bench import SAMPLING, SEED, YES_NO, case, planted_case, rubric
from tests.models.clients import Script, at_door, said


def test_judging_again_asks_nobody_and_says_the_same(tmp_path: Path) -> None:
    yes_no = rubric(YES_NO)
    cases = [planted_case(yes_no, n % 2 == 0, f"i-{n}") for n in range(10)]

    async def twice(door: ModelClient) -> tuple[list[JudgeOutcome], list[JudgeOutcome], int]:
        cast = Cast({"judge": door})
        first, again = [
            [await ask_judge(yes_no, each, cast=cast, sampling=SAMPLING, seed=SEED) for each in cases] for _ in range(2)
        ]
        return first, again, door.tally.from_journal

    model = open_model("simulated/judge:format_error=.3", Seed("test"), Connection())
    first, again, from_journal = at_door(tmp_path, model, twice)
    assert first == again
    assert from_journal == sum(len(each.events) // 2 for each in first) > 10


def test_a_faulty_reply_is_asked_for_again_through_the_door(tmp_path: Path) -> None:
    yes_no, script = rubric(YES_NO), Script(said("Well."), said('{"reason": "r", "choice": "yes"}'))

    async def once(door: ModelClient) -> JudgeOutcome:
        return await ask_judge(yes_no, case(), cast=Cast({"judge": door}), sampling=SAMPLING, seed=SEED)

    judged = at_door(tmp_path, script, once)
    assert isinstance(judged, JudgeResult)
    assert judged.opinion.points == 1
    assert script.asked.total() == 2


def test_a_judge_that_cannot_be_reached_gives_no_grade(tmp_path: Path) -> None:
    async def once(door: ModelClient) -> JudgeOutcome:
        return await ask_judge(rubric(), case(), cast=Cast({"judge": door}), sampling=SAMPLING, seed=SEED)

    judged = at_door(tmp_path, Script(CallFailed("http 401", "no key")), once)
    assert isinstance(judged, Unjudged)
    assert judged.cause == "http 401"
