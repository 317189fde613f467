"""A real llama.cpp server: what is asked of it is taken, what it refuses is understood, and it may be restarted."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from mores.core.card import CutSampling, Sampling
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.verdict import Ungraded
from mores.judges.parse import ReplyFault, read_opinions
from mores.judges.rubric_answers import LONGEST_REASON, YES_NO, AnswerFormat, ChoiceAnswer, Score, json_schema
from mores.models.client import ModelClient
from mores.models.openai import ChatEndpoint
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed, Reply, Request
from mores.models.retries import RetryPolicy
from mores.runs.spec import Spec
from tests.models.clients import ask_all, at_door, request
from tests.runs.conduct import hold, manifest, verdicts
from tests.servers.serving import Served, made, served

CONTEXT = 4_096
SHORT_REASON = 40
TINY = Path(__file__).parents[1] / "benchmarks" / "tiny"
FIXED = Sampling(temperature=0.0, max_tokens=12)
DRAWN = Sampling(temperature=0.9, max_tokens=12)


@pytest.fixture(scope="module")
def babbler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def server(babbler: Path) -> Iterator[Served]:
    with served(babbler, context=CONTEXT) as running:
        yield running


def asked(server: Served, folder: Path, *requests: Request) -> tuple[list[Reply | BaseException], ChatEndpoint]:
    model = open_model("llamacpp/babbler", Seed("test"), Connection(base_url=server.url))
    assert isinstance(model, ChatEndpoint)
    return at_door(folder, model, ask_all(*requests), window=4), model


def replies(found: list[Reply | BaseException]) -> list[Reply]:
    assert all(isinstance(each, Reply) for each in found), found
    return [each for each in found if isinstance(each, Reply)]


def judging(answer: AnswerFormat) -> Request:
    """What a judge is asked for, with a reason that a babbler, who never comes to an end, gets through."""
    schema = json_schema(answer).replace(f'"maxLength":{LONGEST_REASON}', f'"maxLength":{SHORT_REASON}')
    return structs.replace(request(sampling=structs.replace(FIXED, max_tokens=400)), schema=schema)


def test_the_probe_is_answered_and_neutral_sampling_is_taken(server: Served, tmp_path: Path) -> None:
    wish = CutSampling(temperature=0.9, top_p=0.9, top_k=5, min_p=0.1, max_tokens=12)
    found, model = asked(server, tmp_path, request(sampling=FIXED), request("Drawn?", sampling=wish))
    assert [reply.usage.output for reply in replies(found)] == [12, 12]
    assert not model.capabilities.leave_out
    assert model.neutral == {"top_p": 1.0, "top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0}


def test_a_seed_makes_a_draw_come_again_and_other_samples_others(
    server: Served, tmp_path_factory: pytest.TempPathFactory
) -> None:
    wishes = [request(sampling=DRAWN, sample=n) for n in range(3)]
    first, again = (asked(server, tmp_path_factory.mktemp("asked"), *wishes)[0] for _ in range(2))
    said = [reply.text for reply in replies(first)]
    assert said == [reply.text for reply in replies(again)]
    assert len(set(said)) == 3


def test_a_grammar_holds_a_choice_and_the_trial_sees_it(server: Served, tmp_path: Path) -> None:
    choice = ChoiceAnswer(options=YES_NO)
    found, model = asked(server, tmp_path, judging(choice))
    opinions = read_opinions(replies(found)[0].text, choice)
    assert not isinstance(opinions, ReplyFault)
    assert opinions[0].choice in YES_NO
    assert len(opinions[0].reason) <= SHORT_REASON
    assert model.capabilities.altered == ()


def test_a_number_that_the_grammar_lets_through_is_a_fault(server: Served, tmp_path: Path) -> None:
    found, _ = asked(server, tmp_path, judging(Score()))
    text = replies(found)[0].text
    assert not 0 <= json.loads(text)["score"] <= 1  # a babbler's numbers are long
    fault = read_opinions(text, Score())
    assert isinstance(fault, ReplyFault)
    assert fault.cause == "off scale"


def test_a_prompt_over_the_context_has_its_cause_and_the_next_call_is_answered(server: Served, tmp_path: Path) -> None:
    found, _ = asked(server, tmp_path, request("x" * 2 * CONTEXT, sampling=FIXED), request(sampling=FIXED))
    overflow, fine = found
    assert isinstance(overflow, CallFailed)
    assert overflow.cause == "context overflow"
    assert f"exceeds the available context size ({CONTEXT} tokens)" in overflow.detail
    assert isinstance(fine, Reply)


def test_a_limit_over_the_context_is_taken_and_the_answer_ends_within_it(server: Served, tmp_path: Path) -> None:
    found, _ = asked(server, tmp_path, request(sampling=structs.replace(DRAWN, max_tokens=65_536)))
    (reply,) = replies(found)
    assert reply.usage.input + reply.usage.output <= CONTEXT


def test_labels_are_weighed_by_their_first_token(server: Served, tmp_path: Path) -> None:
    found, model = asked(server, tmp_path, structs.replace(request(sampling=FIXED), labels=("yes", "no")))
    (outcome,) = found
    if isinstance(outcome, CallFailed):  # a babbler says none of its labels among its likeliest tokens
        assert outcome.cause == "no log-probabilities"
        assert "422" not in outcome.detail
    else:
        assert model.capabilities.altered


def test_a_wrong_key_names_the_variable_and_the_right_one_is_taken(
    babbler: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(babbler, key="right-0123456789") as locked:
        monkeypatch.setenv("MORES_API_KEY", "wrong-0123456789")
        (error,), _ = asked(locked, tmp_path, request())
        assert isinstance(error, InputError)
        assert "set MORES_API_KEY" in str(error)
        monkeypatch.setenv("MORES_API_KEY", "right-0123456789")
        found, _ = asked(locked, tmp_path, request())
        assert len(replies(found)) == 1


def test_a_server_that_is_killed_and_comes_back_loses_no_call(babbler: Path, tmp_path: Path) -> None:
    _outage(babbler, tmp_path, seconds=0.5, patience=RetryPolicy(first_wait=0.02))


@pytest.mark.soak
def test_a_server_that_is_gone_for_twenty_seconds_loses_no_call(babbler: Path, tmp_path: Path) -> None:
    _outage(babbler, tmp_path, seconds=20.0, patience=RetryPolicy())


def _outage(babbler: Path, folder: Path, *, seconds: float, patience: RetryPolicy) -> None:
    """Asks on and on; the server is killed in the midst of it and started again so many seconds later."""
    with served(babbler) as server:
        model = open_model("llamacpp/babbler", Seed("test"), Connection(base_url=server.url))
        wishes = [
            request(f"Question {n}", item=f"i-{n}", sampling=structs.replace(DRAWN, max_tokens=60)) for n in range(80)
        ]

        def interrupt() -> None:
            server.kill()
            time.sleep(seconds)
            server.start()

        async def use(door: ModelClient) -> tuple[list[Reply | BaseException], int]:
            return await ask_all(*wishes)(door), door.tally.failed_attempts

        timer = threading.Timer(0.15, interrupt)
        timer.start()
        found, failed = at_door(folder, model, use, window=4, patience=patience)
        timer.join()
    assert len(replies(found)) == len(wishes)
    assert failed > 4  # it was away while it was asked


@pytest.mark.parametrize("benchmark", ["cultureforest/easy", "ladder/know"])
def test_a_run_over_a_real_server_ends_graded(server: Served, tmp_path: Path, benchmark: str) -> None:
    """CultureForest's card allows 65,536 tokens; here they are fewer, as a babbler uses what it may."""
    data = None if benchmark.startswith("ladder") else str(TINY / "cultureforest")
    spec = Spec(
        benchmarks=(benchmark,), models=("llamacpp/babbler",), base_url=server.url, limit=2, answer_tokens=40, data=data
    )  # fmt: skip
    assert hold(tmp_path, spec)
    assert manifest(tmp_path)["state"] == "finished"
    assert not any(isinstance(verdict, Ungraded) for verdict in verdicts(tmp_path))
