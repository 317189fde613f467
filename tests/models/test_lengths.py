"""Limits that an endpoint refuses are lowered to what it takes, at the probe and after it, and the key stays."""

import asyncio
import json
from pathlib import Path

import pytest

from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.verdict import Ungraded
from mores.models.journal import Journal, request_key
from mores.models.openai import ChatEndpoint
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed, Reply, Request
from mores.runs.spec import Spec
from tests.models.clients import ask_all, at_door, request, texts
from tests.models.listener import Answer, Heard, Say, completion, listening
from tests.runs.conduct import hold, manifest, verdicts

TINY = Path(__file__).parents[1] / "benchmarks" / "tiny"

LONG = Sampling(temperature=0.0, max_tokens=65_536)
SHORT = Sampling(temperature=0.0, max_tokens=8)


def refused(message: str) -> Say:
    error = {"message": message, "type": "BadRequestError", "param": "max_tokens", "code": 400}
    return Say(json.dumps({"error": error}).encode(), 400)


def windowed(window: int, *, thinks: bool = False) -> Answer:
    """A server like vLLM with so much context; a token of a prompt is a byte."""

    def answer(heard: Heard) -> Say:
        body = json.loads(heard.body)
        limit, prompt = body["max_tokens"], sum(len(message["content"]) for message in body["messages"])
        context = f"This model's maximum context length is {window} tokens"
        if limit > window:
            return refused(f"max_tokens={limit} cannot be greater than max_model_len={window}. Please request fewer.")
        if prompt >= window:
            return refused(f"{context}. However, your request has {prompt} input tokens.")
        if prompt + limit > window:
            sum_ = f"({limit} > {window} - {prompt})"
            return refused(
                f"'max_tokens' is too large: {limit}. {context} and your request has {prompt} input tokens {sum_}"
            )
        if not thinks:
            return Say(completion("True"))
        return Say(completion("True" if limit > 300 else None, reasoning="Hm."))

    return answer


def asked(
    url: str, folder: Path, *requests: Request, spec: str = "vllm/test"
) -> tuple[list[Reply | BaseException], ChatEndpoint]:
    """All replies or failures through a door, and the model as it was then."""
    model = open_model(spec, Seed("test"), Connection(base_url=url, typed=True))
    assert isinstance(model, ChatEndpoint)
    return at_door(folder, model, ask_all(*requests)), model


def limits(heard: list[Heard]) -> list[int]:
    return [json.loads(each.body)["max_tokens"] for each in heard]


def test_a_limit_above_the_context_is_lowered_at_the_probe_and_noted_once(tmp_path: Path) -> None:
    with listening(windowed(4_096)) as listener:
        found, model = asked(
            listener.url, tmp_path, *(request(f"{n} {'word ' * 300}", sampling=LONG) for n in range(9))
        )
    assert texts(found) == ["True"] * 9
    sent = limits(listener.heard)
    assert sent[0] == 65_536
    assert sum(limit > 4_096 for limit in sent) == 1
    assert sent[-1] == 4_096 - 1_502  # a token is a byte here, so the guess was refused, and the server's sum is taken
    assert model.capabilities.altered == (
        "limits lowered to what the prompt leaves of the endpoint's context of 4,096 tokens",
    )


def test_thinking_stays_inside_a_small_context(tmp_path: Path) -> None:
    with listening(windowed(4_096, thinks=True)) as listener:
        found, model = asked(listener.url, tmp_path, *(request(f"Question {n}", sampling=SHORT) for n in range(20)))
    assert texts(found) == ["True"] * 20
    assert model.capabilities.thinks
    assert max(limits(listener.heard)[-5:]) < 4_096
    assert model.most_output(8, SHORT) <= 4_096


def test_a_model_that_draws_less_for_one_answer_is_asked_for_less_and_keeps_the_name_of_the_limit(
    tmp_path: Path,
) -> None:
    def answer(heard: Heard) -> Say:
        limit = json.loads(heard.body)["max_tokens"]
        most = "This model supports at most 16384 completion tokens, whereas you provided"
        return refused(f"max_tokens is too large: {limit}. {most} {limit}.") if limit > 16_384 else Say(completion("B"))

    with listening(answer) as listener:
        found, model = asked(listener.url, tmp_path, *(request(f"Question {n}", sampling=LONG) for n in range(3)))
    assert texts(found) == ["B"] * 3
    assert limits(listener.heard) == [65_536, *[16_384] * 4]
    assert model.capabilities.altered == ("limits lowered to 16,384 tokens, the most that the endpoint takes",)


def test_a_call_after_the_probe_that_is_refused_is_put_again(tmp_path: Path) -> None:
    with listening(windowed(4_096)) as listener:
        found, _ = asked(listener.url, tmp_path, request("Short", sampling=SHORT), request("Long", sampling=LONG))
    assert texts(found) == ["True"] * 2
    sent = limits(listener.heard)
    assert (sent[0], sent.count(65_536), sent.count(8)) == (8, 1, 2)
    assert 4_000 < sent[-1] < 4_096 or sent[-1] == 8


def test_a_prompt_that_is_too_long_has_a_cause_of_its_own_with_the_server_s_words(tmp_path: Path) -> None:
    with listening(windowed(4_096)) as listener:
        found, _ = asked(
            listener.url, tmp_path, request("x" * 5_000), request("x" * 4_090, sampling=LONG), request("Hm")
        )
    overflow, hardly, fine = found
    assert isinstance(overflow, CallFailed)
    assert isinstance(hardly, CallFailed)
    assert (overflow.cause, hardly.cause) == ("context overflow",) * 2
    assert "your request has 5000 input tokens" in overflow.detail
    assert isinstance(fine, Reply)
    assert sum(b"xxx" in heard.body for heard in listener.heard) <= 4  # it is no use to ask again


def test_an_answer_that_the_server_cannot_read_itself_is_not_asked_for_again(tmp_path: Path) -> None:
    """llama.cpp's words for an answer by a grammar that its limit cut short; it would be cut short each time."""
    words = "The model produced output that does not match the expected peg-native format"

    def answer(heard: Heard) -> Say:
        body = json.dumps({"error": {"code": 500, "message": words, "type": "server_error"}}).encode()
        return Say(body, 500) if b"cut" in heard.body else Say(completion("True"))

    with listening(answer) as listener:
        (failed,), _ = asked(listener.url, tmp_path, request("cut"))
    assert isinstance(failed, CallFailed)
    assert (failed.cause, failed.passing) == ("unfit output", False)
    assert words in failed.detail
    assert len(listener.heard) == 2


def test_a_limit_that_no_number_explains_is_halved_until_it_is_taken(tmp_path: Path) -> None:
    def answer(heard: Heard) -> Say:
        limit = json.loads(heard.body)["max_tokens"]
        return refused("max_tokens is too large for this deployment") if limit > 3_000 else Say(completion("B"))

    with listening(answer) as listener:
        asked(listener.url, tmp_path, request(sampling=LONG))
    assert limits(listener.heard) == [65_536, 32_768, 16_384, 8_192, 4_096, 2_048, 2_048]


def test_an_endpoint_that_refuses_every_limit_names_the_setting(tmp_path: Path) -> None:
    with listening(lambda _: refused("max_tokens is not what we like")) as listener:
        (error,), _ = asked(listener.url, tmp_path, request(sampling=LONG))
    assert isinstance(error, InputError)
    assert "--answer-tokens" in str(error)


def test_a_reply_to_a_lowered_limit_is_found_again_under_the_request_as_it_was(tmp_path: Path) -> None:
    wish = request(sampling=LONG)
    with listening(windowed(4_096)) as listener:
        _, model = asked(listener.url, tmp_path, wish)
        calls = len(listener.heard)
        again, _ = asked(listener.url, tmp_path, wish)
        assert texts(again) == ["True"]
        assert len(listener.heard) == calls
    journal = Journal(tmp_path / "journal.sqlite")
    assert journal.find(request_key(model, wish)) is not None
    journal.close()


@pytest.mark.parametrize(("status", "words"), [(400, "No connected db."), (401, "Unauthorized"), (403, "Forbidden")])
@pytest.mark.parametrize(("spec", "variable"), [("llamacpp/test", "MORES_API_KEY"), ("openai/test", "OPENAI_API_KEY")])
def test_a_refused_key_names_the_variable_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, words: str, spec: str, variable: str
) -> None:
    monkeypatch.setenv(variable, "sk-wrong-0123456789")
    with listening(lambda _: Say(json.dumps({"error": {"message": words}}).encode(), status)) as listener:
        (error,), _ = asked(listener.url, tmp_path, request(), spec=spec)
    assert isinstance(error, InputError)
    assert "the endpoint refused the key" in str(error)
    assert f"set {variable}." in str(error)
    assert words in str(error)


def test_many_at_once_are_all_answered_whatever_is_learnt_meanwhile(tmp_path: Path) -> None:
    async def go() -> list[str]:
        model = open_model("vllm/test", Seed("test"), Connection(base_url=listener.url, window=30))
        await model.prepare(SHORT)
        said = await asyncio.gather(*(model.reply(request(f"Question {n}", sampling=LONG)) for n in range(60)))
        await model.close()
        return [reply.text for reply in said]

    def answer(heard: Heard) -> Say:
        body = json.loads(heard.body)
        if body.get("max_tokens", 0) > 8:
            return refused("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.")
        most = "max_completion_tokens is too large. This model supports at most 4096 completion tokens."
        return refused(most) if body.get("max_completion_tokens", 0) > 4_096 else Say(completion("B"))

    with listening(answer) as listener:
        assert asyncio.run(go()) == ["B"] * 60


@pytest.mark.parametrize("thinks", [False, True])
@pytest.mark.parametrize("benchmark", ["cultureforest/easy", "ladder/know"])
def test_a_run_in_a_small_context_ends_graded(tmp_path: Path, benchmark: str, *, thinks: bool) -> None:
    """CultureForest asks for 65,536 tokens, and a model that thinks for 16,384 beside its answer."""
    data = None if benchmark.startswith("ladder") else str(TINY / "cultureforest")
    with listening(windowed(4_096, thinks=thinks)) as listener:
        spec = Spec(benchmarks=(benchmark,), models=("vllm/test",), base_url=listener.url, limit=3, data=data)
        assert hold(tmp_path, spec)
    assert manifest(tmp_path)["state"] == "finished"
    assert not any(isinstance(verdict, Ungraded) for verdict in verdicts(tmp_path))
    altered = manifest(tmp_path)["models"]["vllm/test"]["altered"]
    assert any("the endpoint's context of 4,096 tokens" in note for note in altered) or (not thinks and not data)


@pytest.mark.parametrize("preset", ["vllm", "sglang", "ollama", "llamacpp"])
def test_a_local_server_that_asks_for_a_key_gets_one_line_with_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str
) -> None:
    monkeypatch.delenv("MORES_API_KEY", raising=False)
    with listening(lambda _: Say(b'{"error": {"message": "Unauthorized"}}', 401)) as listener:
        (error,), _ = asked(listener.url, tmp_path, request(), spec=f"{preset}/test")
    assert "the endpoint asks for a key, and none was sent" in str(error)
    assert str(error).endswith("set MORES_API_KEY.")
    assert "\n" not in str(error)
