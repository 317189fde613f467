"""A model behind Inspect AI answers as one behind an endpoint does: usage, ends, refusals, thinking and failures."""

import asyncio
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from inspect import isawaitable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace

from mores.core.card import SubjectSettings
from mores.core.errors import InputError, MoresError
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.budget import rate_of
from mores.models.extra_body import thinking_fields
from mores.models.providers import through_inspect
from mores.models.providers.through_inspect import InspectModel
from mores.models.registry import Connection, check_form, open_model
from mores.models.request import CallFailed, Reply, Request, Usage
from mores.runs.spec import Spec
from tests.models.clients import FIXED, put, request
from tests.runs.conduct import Typed, hold, manifest, whole
from tests.runs.conftest import typed

__all__ = ["typed"]
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Inspect's own, of what it stands on
Answer = Callable[[list[Any], Any], Any]
SPEC = "inspect/scripted/model"
asked: list[tuple[list[Any], Any]] = []
"""What the scripted provider was asked, the probe too: messages and settings."""


def plain(words: str = "B", **more: Any) -> Any:
    """An output as Inspect has it."""
    usage = library().ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    found = library().ModelOutput.from_content(model="scripted-1", content=words, **more)
    found.usage = usage
    return found


class Script:
    """What the scripted provider says."""

    answer: Answer = staticmethod(lambda words, config: plain())


@cache
def library() -> Any:
    """Inspect with a scripted provider; importing it takes a second, which other workers need not spend."""
    found = import_module("inspect_ai.model")

    @found.modelapi(name="scripted")
    class Scripted(found.ModelAPI):  # type: ignore[misc,name-defined]
        """A provider that says what a test wants."""

        async def generate(self, input: list[Any], tools: Any, tool_choice: Any, config: Any) -> Any:  # noqa: A002
            asked.append((input, config))
            said = Script.answer(input, config)
            if isawaitable(said):
                said = await said
            if isinstance(said, Exception):
                raise said
            return said

        def should_retry(self, ex: Exception) -> bool:
            return isinstance(ex, OverflowError)

    return found


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    library()
    asked.clear()
    Script.answer = staticmethod(lambda words, config: plain())
    yield
    Script.answer = staticmethod(lambda words, config: plain())


def scripted(answer: Answer) -> None:
    Script.answer = staticmethod(answer)


def after_probe(answer: Answer) -> None:
    """Say this, but to the probe."""
    scripted(lambda words, config: plain("ready") if "ready" in words[-1].text else answer(words, config))


def say(*requests: Request, spec: str = SPEC, timeout: float = 5.0) -> tuple[list[Any], InspectModel]:
    """All replies or failures, one at a time, and the model as it was then."""
    model = open_model(spec, Seed("test"), Connection(timeout=timeout))
    assert isinstance(model, InspectModel)

    async def one(each: Request) -> object:
        try:
            return await put(model, each)
        except (CallFailed, MoresError) as error:
            return error

    async def go() -> list[object]:
        try:
            return [await one(each) for each in requests]
        finally:
            await model.close()

    return asyncio.run(go()), model


def test_what_was_said_comes_back_with_its_usage_and_its_end() -> None:
    (reply,), model = say(request())
    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish, reply.model, reply.refusal) == ("B", "stop", "scripted-1", False)
    assert reply.usage == Usage(input=7, output=3)
    assert (model.identity, model.altered, model.overhead) == ("inspect", (), [Usage(input=7, output=3)])


def test_messages_and_settings_are_sent_and_retries_are_left_to_the_door() -> None:
    words = (Message(role="system", content="Be brief."), Message(role="user", content="So?"),
             Message(role="assistant", content="Yes."), Message(role="user", content="Sure?"))  # fmt: skip
    settings = SubjectSettings(thinking="low", top_p=0.9, top_k=5, extra_body='{"a":1}', seed_endpoint=True)
    scripted(lambda words, config: plain("<think>So so.</think>\n\nA"))
    _, model = say(structs.replace(request(), messages=words, sampling=settings.over(FIXED)))
    said, config = asked[-1]
    assert [(each.role, each.text) for each in said] == [(each.role, each.content) for each in words]
    assert (config.temperature, config.top_p, config.top_k, config.max_retries) == (0.0, 0.9, 5, 0)
    assert (config.reasoning_effort, config.extra_body, config.max_tokens) == ("low", {"a": 1}, 8 + 16_384)
    assert isinstance(config.seed, int)
    assert model.altered == ()


def test_what_inspect_has_no_word_for_is_noted_or_refused() -> None:
    _, model = say(request(sampling=SubjectSettings(min_p=0.1).over(FIXED)))
    assert model.altered == ("min_p left out, since Inspect has no such setting",)
    (error,), _ = say(request(sampling=SubjectSettings(thinking=500).over(FIXED)))
    assert "--thinking 500: inspect cannot be told so; it takes off, low, medium, high" in str(error)
    assert thinking_fields("inspect/bedrock/some", 500) == {"reasoning_tokens": 500}


def test_thinking_is_kept_apart_and_gets_room() -> None:
    def thinks(words: list[Any], config: Any) -> Any:
        parts = [library().ContentReasoning(reasoning="Hm."), library().ContentText(text="B")]
        found = plain(parts)  # type: ignore[arg-type]
        found.usage.reasoning_tokens = 2
        return found

    scripted(thinks)
    (reply,), model = say(request())
    assert (reply.text, reply.reasoning, reply.usage.reasoning) == ("B", "Hm.", 2)
    assert asked[-1][1].max_tokens == 8 + 16_384
    assert model.thinks
    after_probe(lambda words, config: plain("<think>So so.</think>\n\nA"))
    (reply,), _ = say(request())
    assert (reply.text, reply.reasoning) == ("A", "So so.")


def test_who_is_told_to_think_and_does_not_keeps_the_answers_own_limit() -> None:
    asks = request(sampling=SubjectSettings(thinking="low").over(FIXED))
    (reply,), model = say(asks)
    assert reply.text == "B"
    assert [config.max_tokens for _, config in asked] == [8 + 16_384, 8]
    assert model.altered == ("told to think, and it does not",)
    assert model.most_output(8, asks.sampling) == 8


def test_who_thinks_of_some_questions_alone_is_asked_these_again_with_room() -> None:
    def late(words: list[Any], config: Any) -> Any:
        found = plain("<think>Let me see.</think>A" if config.max_tokens > 8 else "<think>Let me")
        found.choices[0].stop_reason = "stop" if config.max_tokens > 8 else "max_tokens"
        return found

    after_probe(late)
    (reply,), model = say(request(sampling=SubjectSettings(thinking="low").over(FIXED)))
    assert (reply.text, reply.reasoning) == ("A", "Let me see.")
    assert [config.max_tokens for _, config in asked] == [8 + 16_384, 8, 8 + 16_384]
    assert len(model.overhead) == 2  # the probe, and what was broken off


@pytest.mark.parametrize(
    ("reason", "finish", "refusal"),
    [("stop", "stop", False), ("max_tokens", "length", False), ("content_filter", "content_filter", True)],
)
def test_ends_have_the_names_of_endpoints(reason: str, finish: str, refusal: bool) -> None:
    after_probe(lambda words, config: plain("No.", stop_reason=reason))
    (reply,), _ = say(request())
    assert (reply.finish, reply.refusal, reply.text) == (finish, refusal, "No.")


def test_tokens_of_a_cache_were_read_too_and_missing_counts_are_estimated() -> None:
    def cached(words: list[Any], config: Any) -> Any:
        found = plain()
        found.usage.input_tokens_cache_read, found.usage.input_tokens_cache_write = 100, 20
        return found

    after_probe(cached)
    assert say(request())[0][0].usage == Usage(input=127, output=3, cached=100)

    def uncounted(words: list[Any], config: Any) -> Any:
        found = plain()
        found.usage = None
        return found

    after_probe(uncounted)
    assert say(request())[0][0].usage == Usage(estimated=True)


class Refused(Exception):
    """As the libraries of providers have it."""

    def __init__(self, says: str, status: object = None, response: object = None) -> None:
        super().__init__(says)
        self.status_code, self.response = status, response


class ConnectError(Exception):
    """By its name alone."""


def caused(status: int) -> Exception:
    try:
        raise RuntimeError("wrapped") from Refused("inside", status)
    except RuntimeError as error:
        return error


@pytest.mark.parametrize(
    ("error", "cause", "passing"),
    [
        (Refused("slow down", 429), "http 429", True),
        (Refused("no such thing", 422), "http 422", False),
        (Refused("aws", None, {"ResponseMetadata": {"HTTPStatusCode": 503}}), "http 503", True),
        (Refused("nested", None, SimpleNamespace(status_code=500)), "http 500", True),
        (Refused("prompt is too long: 9000 tokens > 8000 maximum", 400), "context overflow", False),
        (caused(529), "http 529", True),
        (ConnectError("nobody there"), "no connection", True),
        (OverflowError("it says to try again"), "inspect: OverflowError", True),
        (ValueError("odd"), "inspect: ValueError", False),
    ],
)
def test_failures_have_our_causes(error: Exception, cause: str, passing: bool) -> None:
    after_probe(lambda words, config: error)
    (failed,), _ = say(request())
    assert isinstance(failed, CallFailed), failed
    assert (failed.cause, failed.passing) == (cause, passing)


def test_an_answer_without_words_for_want_of_room_is_an_overflow() -> None:
    after_probe(lambda words, config: plain("", stop_reason="model_length"))
    (failed,), _ = say(request())
    assert (failed.cause, failed.passing) == ("context overflow", False)


def test_labels_are_not_weighed_and_schemas_not_sent() -> None:
    (failed, reply), model = say(
        structs.replace(request(), labels=("A", "B")), structs.replace(request(), schema='{"type":"object"}')
    )
    assert (failed.cause, reply.text) == ("no log-probabilities", "B")
    assert asked[-1][1].response_schema is None
    assert model.altered[0].startswith("no JSON schema")


def test_a_provider_that_refuses_the_probe_stops_the_run_and_shows_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRIPTED_API_KEY", "sk-very-secret-0123")
    scripted(lambda words, config: Refused("bad API key sk-very-secret-0123", 401))
    (error,), _ = say(request())
    assert isinstance(error, InputError)
    assert str(error).startswith(f"{SPEC}: the provider refuses every call (http 401: bad API key ***)")
    assert "see to the provider's key" in str(error)


@pytest.mark.parametrize("spec", ["inspect/nobody/model", "inspect/anthropic/claude"])
def test_what_inspect_cannot_open_is_one_line(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(InputError, match=f"{spec}: Inspect cannot open it") as refused:
        open_model(spec, Seed("test"), Connection())
    assert "\n" not in str(refused.value)
    assert "[bold]" not in str(refused.value)


def test_without_the_extra_one_line_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(library: str) -> Any:
        raise InputError(f"{library} is not installed; pip install '.[inspect]' brings it.")

    monkeypatch.setattr(through_inspect, "find_spec", lambda name: None)
    monkeypatch.setattr(through_inspect, "needed", missing)
    with pytest.raises(InputError, match="inspect_ai is not installed; pip install '\\.\\[inspect\\]' brings it"):
        check_form(SPEC)
    monkeypatch.undo()
    with pytest.raises(InputError, match="expected inspect/PROVIDER/MODEL"):
        check_form("inspect/model")


def test_nothing_of_a_call_is_kept_once_it_is_answered() -> None:
    async def go() -> list[Any]:
        model = open_model(SPEC, Seed("test"), Connection())
        for number in range(5):
            await put(model, request(f"Question {number}"))
        await model.close()
        return list(import_module("inspect_ai.log").transcript().events)

    assert asyncio.run(go()) == []


def test_an_answer_that_does_not_come_is_a_time_out() -> None:
    after_probe(lambda words, config: asyncio.sleep(60, plain()))
    (failed,), _ = say(request(), timeout=0.2)
    assert (failed.cause, failed.passing) == ("time-out", True)


def test_a_price_is_that_of_the_provider() -> None:
    assert rate_of("inspect/anthropic/claude-sonnet-4-0", None) == rate_of("anthropic/claude-sonnet-4-0", None)
    assert rate_of("inspect/anthropic/claude-sonnet-4-0", "http://localhost/v1") is None
    assert rate_of("inspect/mockllm/model", None) is None


def test_a_run_through_inspect_is_a_run_as_any_other(
    tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = Spec(benchmarks=("culturalbench/hard",), models=("inspect/mockllm/model",), data=str(cultural), limit=2)
    opened = library().get_model

    def mocked(name: str, **more: Any) -> Any:
        return opened(name, **more, custom_outputs=lambda words, tools, choice, config: plain("False"))

    monkeypatch.setattr(library(), "get_model", mocked)  # left to itself it looks up how to count tokens
    assert hold(tmp_path / "mock", spec)
    assert whole(tmp_path / "mock", "item_accuracy")["value"] == 0.75
    monkeypatch.undo()
    scripted(lambda words, config: plain("True"))
    said = replace(spec, models=(SPEC,), thinking="high")
    assert hold(tmp_path / "scripted", said)
    found = manifest(tmp_path / "scripted")
    assert (found["sent"], found["facts"]["reasoning"]) == ({"reasoning_effort": "high"}, "on")
    assert found["models"][SPEC]["sitting"]["output_tokens"] == 3 * 8
    calls = len(asked)
    assert hold(tmp_path / "scripted", said)
    assert len(asked) == calls  # everything is in the journal


def test_lists_and_dry_runs_speak_of_it(typed: Typed, cultural: Path) -> None:
    assert "inspect/PROVIDER/MODEL" in typed("list", "models").stdout
    done = typed("run", "culturalbench/hard", "--model", "inspect/bedrock/some", "--data", cultural, "--dry")
    assert done.returncode == 0, done.stderr
