"""A benchmark in another program gives, of equal replies, the figures of a run, digit by digit."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks import catalogue
from mores.core.codec import encode, parse_json
from mores.core.errors import InputError
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.hosted import Hosted, hosted, to_text, transcript_of, verdicts_of
from mores.models.request import Reply, Request
from mores.runs.spec import Spec
from tests.benchmarks.plays import TINY
from tests.hosted.scripted import Voice, installed
from tests.runs.conduct import Typed, estimates, hold, verdicts
from tests.runs.conftest import typed

__all__ = ["typed"]


def callers_of(told: Hosted, *roles: str) -> dict[str, Voice]:
    return {role: Voice(role) for role in roles or told.roles}


def played(told: Hosted) -> list[Verdict]:
    """Verdicts on all plays, as they come back from the lines of a host's log, in an order of the host's."""
    callers = callers_of(told)

    async def one(item: str, sample: int) -> list[Verdict]:
        transcript = transcript_of(to_text(await told.play(item, sample, callers)))
        return verdicts_of(map(to_text, (await told.judge(transcript, callers)).verdicts))

    async def every() -> list[list[Verdict]]:
        samples = range(told.evaluation.setting.protocol.samples)
        return [await one(item, sample) for item in told.items for sample in samples]

    plays = asyncio.run(every())
    random.Random(7).shuffle(plays)
    return [verdict for own in plays for verdict in own]


def plain(values: object) -> Any:
    return parse_json(encode(values), where="test")


def tiny(name: str, **options: Any) -> Hosted:
    return hosted(name, data=TINY / name.partition("/")[0], **options)


@pytest.mark.parametrize("name", catalogue.names())
def test_equal_replies_give_equal_figures_in_a_host_and_in_a_run(name: str, tmp_path: Path) -> None:
    samples = 1 if name == "liveculture/town" else 2
    told = tiny(name, samples=samples)
    given = played(told)
    roles = {role: f"scripted/{role}" for role in told.roles if role != "subject"}
    data = str(TINY / name.partition("/")[0])
    spec = Spec(benchmarks=(name,), models=("scripted/subject",), roles=roles, samples=samples, data=data)
    with installed():
        assert hold(tmp_path / "run", spec, attempts=1)
    assert plain(told.figures(given)) == estimates(tmp_path / "run")
    assert sorted(map(encode, given)) == sorted(map(encode, verdicts(tmp_path / "run")))
    assert any(isinstance(each, Graded) for each in given)


def test_a_jury_of_a_host_sits_with_its_weights_as_in_a_run(tmp_path: Path) -> None:
    weights = {"judge2": 0.5}
    told = tiny("cure/normad_thick", roles={"judge2": "host/second"}, judge_weight=weights, judge_samples=2)
    assert told.roles == ("subject", "judge", "judge2")
    assert told.evaluation.roles == {"subject": "host/subject", "judge": "host/judge", "judge2": "host/second"}
    given = played(told)
    spec = Spec(
        benchmarks=("cure/normad_thick",), models=("scripted/subject",), data=str(TINY / "cure"), judge_samples=2,
        roles={role: f"scripted/{role}" for role in ("judge", "judge2")}, judge_weights=weights,
    )  # fmt: skip
    with installed():
        assert hold(tmp_path / "run", spec, attempts=1)
    assert plain(told.figures(given)) == estimates(tmp_path / "run")


def test_options_decide_what_is_asked_as_those_of_a_run_do() -> None:
    told = tiny("culturalbench/hard", limit=1, places="JP,NG", temperature=0.5, answer_tokens=9)
    protocol = told.evaluation.setting.protocol
    assert len({item.about.unit for item in told.items.values()}) == 1
    assert {item.about.place for item in told.items.values()} <= {"JP", "NG"}
    assert (protocol.sampling.temperature, protocol.answer_tokens) == (0.5, 9)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("ladder/know", {"max_calls": 3}, r"No option of what is asked is called 'max_calls'.*are the host's"),
        ("ladder/know", {"out": "runs/x"}, "'out'"),
        ("ladder/explain", {"roles": {"judge": "openai/gpt-4o"}}, "judge=openai/gpt-4o; expected host/NAME"),
        ("ladder/know", {"roles": {"subject": "simulated/typical"}}, "subject=simulated/typical; expected host/NAME"),
        ("cure", {}, r"cure is 8 benchmarks; expected one of them: cure/"),
        ("ladder/kow", {}, "Did you mean 'ladder/know'"),
        ("culturalbench/hard", {"setting": {"stop": "wrong"}, "data": TINY / "culturalbench"}, "a host asks all items"),
    ],
)
def test_what_a_host_cannot_be_told_is_refused_in_a_line(name: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        hosted(name, **options)


def test_a_model_of_a_host_is_asked_by_nobody_else(typed: Typed, tmp_path: Path) -> None:
    done = typed("run", "ladder/know", "--model", "host/subject", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "host/subject: only the program that hosts a benchmark asks it" in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_role_without_a_caller_is_named_before_anything_is_asked() -> None:
    told = tiny("ladder/converse")
    item = next(iter(told.items))
    with pytest.raises(InputError, match="nobody asks the antagonist; expected a caller for each role: subject, anta"):
        asyncio.run(told.play(item, 0, callers_of(told, "subject", "judge")))
    transcript = asyncio.run(told.play(item, 0, callers_of(told)))
    with pytest.raises(InputError, match="nobody asks the judge"):
        asyncio.run(told.judge(transcript, {}))
    with pytest.raises(InputError, match="No item is called 'another'"):
        asyncio.run(told.play("another", 0, callers_of(told)))


def test_a_stored_play_is_judged_by_judges_alone() -> None:
    told = tiny("ladder/explain")
    transcript = asyncio.run(told.play(next(iter(told.items)), 0, callers_of(told)))
    both = [asyncio.run(told.judge(transcript, callers_of(told, *roles))) for roles in ((), ("judge",))]
    assert both[0] == both[1]


def test_what_the_code_of_a_caller_does_wrong_leaves_a_play_ungraded_with_its_cause() -> None:
    class Broken(Voice):
        async def ask(self, request: Request) -> Reply:
            raise ZeroDivisionError("no tea")

    told = tiny("ladder/know")
    transcript = asyncio.run(told.play(next(iter(told.items)), 0, {"subject": Broken("subject")}))
    (verdict, *_) = asyncio.run(told.judge(transcript, {"subject": Voice("subject")})).verdicts
    assert isinstance(verdict, Ungraded)
    assert "error in mores" in verdict.cause


def test_a_verdict_on_what_is_not_asked_here_has_no_part_in_figures() -> None:
    told, other = tiny("ladder/know", places="JP"), tiny("ladder/know", places="DE")
    with pytest.raises(InputError, match="No item is called"):
        told.figures(played(other))
