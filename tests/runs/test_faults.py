"""Over an endpoint that fails, every item ends graded or ungraded with its cause, and none is lost."""

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.core.errors import InputError, Unreachable
from mores.core.verdict import Graded, Ungraded
from mores.models.retries import AWAY
from mores.runs.spec import Spec
from tests.endpoint import Endpoint
from tests.models.listener import Heard, Say, completion, listening
from tests.runs.conduct import estimates, hold, left, manifest, transcripts, verdicts, whole

FAULTS = {"429": 0.04, "500": 0.04, "drop": 0.04, "stall": 0.02, "half": 0.03, "empty": 0.03}
CAUSES = {"http 429", "http 500", "broken connection", "time-out", "unreadable body", "empty body"}


def spec_of(cultural: Path, url: str, model: str = "vllm/test", benchmark: str = "culturalbench/hard") -> Spec:
    return Spec(benchmarks=(benchmark,), models=(model,), data=str(cultural), base_url=url)


@pytest.fixture
def shaken(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> Path:
    """A run over faults that hold for ever."""
    endpoint.set(faults=FAULTS, persistent=True)
    assert hold(tmp_path / "run", spec_of(cultural, endpoint.url), attempts=2, timeout=0.4)
    return tmp_path / "run"


def test_none_is_lost_and_each_failure_has_its_cause(shaken: Path) -> None:
    assert [t["item"] for t in transcripts(shaken)] == [f"hard-{n}" for n in range(96)]
    strict = [v for v in verdicts(shaken) if v.task == "strict"]
    assert [v.about.item for v in strict] == [f"hard-{n}" for n in range(96)]
    failed = [v for v in strict if isinstance(v, Ungraded)]
    assert 5 < len(failed) < 40
    assert {v.cause for v in failed} <= CAUSES
    assert len({v.cause for v in failed}) > 2


def test_totals_agree_with_what_was_asked_and_graded(shaken: Path) -> None:
    strict = [v for v in verdicts(shaken) if v.task == "strict"]
    graded = [v for v in strict if isinstance(v, Graded)]
    found = whole(shaken, "item_accuracy")
    assert (found["asked"], found["graded"]) == (96, len(graded))
    assert found["value"] == pytest.approx(sum(v.points for v in graded) / len(graded))
    assert found["worst"] == pytest.approx(sum(v.points for v in graded) / 96)
    assert found["best"] == pytest.approx((sum(v.points for v in graded) + 96 - len(graded)) / 96)
    by_place = [e for e in estimates(shaken) if e["metric"] == "item_accuracy" and e["group"].keys() == {"place"}]
    assert sum(e["asked"] for e in by_place) == 96
    assert sum(e["graded"] for e in by_place) == len(graded)
    kept = manifest(shaken)
    assert kept["plays"] == {"asked": 96, "done": 96}
    assert kept["ungraded"] == Counter(v.cause for v in verdicts(shaken) if isinstance(v, Ungraded))


def test_no_failed_attempt_is_forgotten(shaken: Path) -> None:
    causes = Counter(v.cause for v in verdicts(shaken) if v.task == "strict" and isinstance(v, Ungraded))
    attempts = manifest(shaken)["failed_attempts"]
    assert {cause: attempts[cause] for cause in causes if cause not in AWAY} == {
        cause: 2 * count for cause, count in causes.items() if cause not in AWAY
    }
    assert all(attempts[cause] >= 2 * count for cause, count in causes.items())  # more where nobody else was answered


def test_once_the_endpoint_is_well_again_a_resume_asks_only_what_failed(
    shaken: Path, cultural: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    failed = sum(isinstance(v, Ungraded) for v in verdicts(shaken) if v.task == "strict")
    endpoint.set(faults={})
    endpoint.reset()
    assert hold(shaken, spec_of(cultural, endpoint.url))
    assert endpoint.counts().requests == failed + 1
    assert hold(tmp_path / "calm", spec_of(cultural, endpoint.url))
    assert left(shaken) == left(tmp_path / "calm")


def test_a_refusal_is_the_subjects_answer_and_is_kept(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    endpoint.set(refusals=0.2, filtered=0.1)
    spec = spec_of(cultural, endpoint.url, benchmark="culturalbench/easy")
    assert hold(tmp_path, spec)
    refused = whole(tmp_path, "refusal")
    assert refused["graded"] == 24
    assert 0 < refused["value"] < 0.8
    faults = Counter(v.fault for v in verdicts(tmp_path) if isinstance(v, Graded) and v.task == "strict")
    assert faults["refusal"] == round(refused["value"] * 24)
    endpoint.set(refusals=0, filtered=0)
    endpoint.reset()
    before = left(tmp_path)
    assert hold(tmp_path, spec)
    assert endpoint.counts().requests == 0
    assert left(tmp_path) == before


def test_a_wrong_key_stops_the_run_before_any_item(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    endpoint.set(key="right")
    spec = spec_of(cultural, endpoint.url, "openai/test")
    with pytest.raises(InputError, match="set OPENAI_API_KEY"):
        hold(tmp_path, spec)
    assert endpoint.counts().requests == 1
    monkeypatch.setenv("OPENAI_API_KEY", "right")
    assert hold(tmp_path, spec)
    assert whole(tmp_path, "item_accuracy")["graded"] == 96


def test_an_endpoint_that_goes_away_leaves_a_run_to_resume(tmp_path: Path, cultural: Path) -> None:
    spec = spec_of(cultural, "http://127.0.0.1:9/v1")
    with pytest.raises(Unreachable):
        hold(tmp_path, spec)
    assert manifest(tmp_path)["state"] == "unfinished"
    with listening() as listener:
        assert hold(tmp_path, replace(spec, base_url=listener.url))
    assert whole(tmp_path, "item_accuracy")["graded"] == 96


@pytest.mark.parametrize("status", [400, 404, 413, 422])
def test_a_call_that_cannot_pass_is_ungraded_at_once(tmp_path: Path, cultural: Path, status: int) -> None:
    def answer(heard: Heard) -> Say:
        return Say(b"no such luck", status) if b"feast 7" in heard.body else Say(completion("True"))

    with listening(answer) as listener:
        assert hold(tmp_path, spec_of(cultural, listener.url))
    assert sum(b"feast 7?" in heard.body for heard in listener.heard) == 4
    causes = {v.cause: v.raw for v in verdicts(tmp_path) if isinstance(v, Ungraded)}
    assert causes == {f"http {status}": "no such luck"}
    assert whole(tmp_path, "accuracy")["graded"] == 23


def test_odd_answers_are_answers(tmp_path: Path, cultural: Path) -> None:
    odd = iter(
        ["", " ", "\u2028\n\r", "True\x00", "🙂" * 3_000, "[[question]] {{ x }} {% if %}", '"}\n{"verdict":', "﷽"]
    )

    with listening(lambda _: Say(completion(next(odd, "true.")))) as listener:
        assert hold(tmp_path, spec_of(cultural, listener.url))
    assert whole(tmp_path, "item_accuracy")["graded"] == 96
    assert len(transcripts(tmp_path)) == 96


def test_what_fails_in_mores_is_kept_with_its_cause_and_tried_again(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of(cultural, endpoint.url)

    def broken(*_: object) -> None:
        raise ZeroDivisionError("no such luck")

    with monkeypatch.context() as patch:
        patch.setattr("mores.benchmarks.shapes.closed_question.grade", broken)
        assert hold(tmp_path / "run", spec)
    failed = [v for v in verdicts(tmp_path / "run") if isinstance(v, Ungraded)]
    assert len(failed) == 2 * 96
    assert {(v.cause, v.raw) for v in failed} == {("error in mores", "error in mores: ZeroDivisionError: no such luck")}
    endpoint.reset()
    assert hold(tmp_path / "run", spec)
    assert whole(tmp_path / "run", "item_accuracy")["graded"] == 96
    assert endpoint.counts().requests == 0


@pytest.mark.parametrize(
    ("fault", "cause"), [("stream", "streamed answer"), ("error", "error in the body"), ("no-choices", None)]
)
def test_answers_of_status_200_that_are_none_are_ungraded_with_their_cause(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, fault: str, cause: str | None
) -> None:
    endpoint.set(faults={fault: 1.0}, persistent=True, only="feast 7?")
    assert hold(tmp_path, spec_of(cultural, endpoint.url), attempts=2)
    failed = [v for v in verdicts(tmp_path) if v.task == "strict" and isinstance(v, Ungraded)]
    assert {v.cause for v in failed} == {cause or "no choice in the body"}
    assert len(failed) == 4
    assert whole(tmp_path, "accuracy")["graded"] == 23


@pytest.mark.parametrize("rule", [{"usage": False}, {"counted": {"prompt_tokens": 9, "completion_tokens": None}}])
def test_a_run_whose_usage_is_missing_is_graded_whole(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, rule: dict[str, object]
) -> None:
    endpoint.set(**rule)
    assert hold(tmp_path, spec_of(cultural, endpoint.url))
    assert whole(tmp_path, "item_accuracy")["graded"] == 96


def test_a_model_that_changes_in_the_midst_of_a_run_stands_in_its_manifest(tmp_path: Path, cultural: Path) -> None:
    def answer(heard: Heard) -> Say:
        name = b'"model": "other"' if b"feast 7?" in heard.body else b'"model": "m"'
        return Say(completion("True").replace(b'"model": "m"', name))

    with listening(answer) as listener:
        assert hold(tmp_path, spec_of(cultural, listener.url))
    (altered,) = manifest(tmp_path)["models"]["vllm/test"]["altered"]
    assert altered == "the endpoint answered as m at first and as other later"
    assert whole(tmp_path, "item_accuracy")["graded"] == 96


def test_answers_that_are_cut_short_are_the_subjects_and_graded(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    endpoint.set(cut=2)
    assert hold(tmp_path, spec_of(cultural, endpoint.url))
    assert whole(tmp_path, "item_accuracy")["graded"] == 96
    assert whole(tmp_path, "format_error")["value"] == 1.0
