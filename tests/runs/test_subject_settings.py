"""What a run asks of its subject's endpoint is a part of the run: of its spec, its protocol and its manifest."""

import json
from pathlib import Path

import pytest

from mores.core.card import SubjectSettings
from mores.core.codec import build, encode
from mores.reports.page.write import render
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from mores.runs.specify import read_study
from tests.endpoint import Endpoint
from tests.models.listener import listening
from tests.runs.conduct import Typed, hold, left, manifest

HARD = ("culturalbench/hard",)
STUDY = """
benchmarks = ["culturalbench/hard"]
models = ["vllm/test"]
thinking = 200
top_p = 0.9
min_p = 0.0
[extra_body]
repetition_penalty = 1.1
"""


def of(cultural: Path, url: str, **asked: object) -> Spec:
    """A small run that asks this of its subject."""
    plain = {"benchmarks": HARD, "models": ("vllm/test",), "data": str(cultural), "limit": 2, "base_url": url}
    return build(Spec, plain | asked, where="test")


def test_what_was_asked_for_stands_in_the_manifest_as_it_was_sent(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    spec = of(cultural, endpoint.url, thinking=200, top_k=5, extra_body={"repetition_penalty": 1.1}, seed_endpoint=True)
    assert hold(tmp_path / "run", spec)
    found = manifest(tmp_path / "run")
    assert found["sent"] == {
        "chat_template_kwargs": {"enable_thinking": True, "thinking": True},
        "thinking_token_budget": 200, "repetition_penalty": 1.1,
    }  # fmt: skip
    gone = {each["setting"]: (each["published"], each["used"]) for each in found["departures"]}
    left_to = "left to the provider"
    assert {name: gone[name] for name in ("thinking", "top k", "extra body", "seed endpoint")} == {
        "thinking": (left_to, "200"), "top k": (left_to, "5"), "seed endpoint": (left_to, "True"),
        "extra body": (left_to, '{"repetition_penalty":1.1}'),
    }  # fmt: skip
    assert found["facts"]["reasoning"] == "on"
    asked = read_results([tmp_path / "run"]).evaluations[0].provenance.protocol.subject
    assert asked == SubjectSettings(thinking=200, top_k=5, extra_body='{"repetition_penalty":1.1}', seed_endpoint=True)
    assert read_study(tmp_path / "run" / "manifest.json")[0] == spec
    page = render(read_results([tmp_path / "run"]))
    assert "Sent with each call to the subject: " in page
    assert "thinking_token_budget" in page


def test_facts_follow_what_was_asked_unless_the_caller_knows_better(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    assert hold(tmp_path / "off", of(cultural, endpoint.url, thinking="off"))
    assert manifest(tmp_path / "off")["facts"]["reasoning"] == "off"
    assert hold(tmp_path / "told", of(cultural, endpoint.url, thinking="off", facts={"reasoning": "a little"}))
    assert manifest(tmp_path / "told")["facts"]["reasoning"] == "a little"


def test_a_run_that_asks_for_nothing_is_sent_nothing_and_keeps_its_hash(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    spec = of(cultural, endpoint.url)
    assert hold(tmp_path / "run", spec)
    found = manifest(tmp_path / "run")
    assert (found["sent"], found["protocol"]["subject"]) == ({}, None)
    assert Spec().hash == "e290541e40"
    each: list[dict[str, object]] = [
        {}, {"thinking": "off"}, {"thinking": 1}, {"top_p": 1.0}, {"min_p": 0.0}, {"top_k": 1},
        {"seed_endpoint": True}, {"extra_body": {"a": 1}},
    ]  # fmt: skip
    assert len({of(cultural, endpoint.url, **asked).hash for asked in each}) == len(each)


def test_a_study_names_it_as_the_command_line_does(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    (tmp_path / "STUDY.toml").write_text(STUDY)
    (tmp_path / "more.json").write_text('{"repetition_penalty": 1.1, "min_p": 0}')
    flags = ("--thinking", "200", "--top-p", ".9", "--extra-body", "@more.json", "--limit", 2)
    seen = []
    for words in (("STUDY.toml", "--limit", 2), (*HARD, "--model", "vllm/test", *flags)):
        done = typed("run", *words, "--data", cultural, "--dry", "--json")
        assert done.returncode == 0, done.stderr
        seen.append(json.loads(done.stdout))
    assert seen[0] == seen[1]
    (cell,) = seen[0]["cells"]
    assert cell["sent"]["thinking_token_budget"] == 200
    done = typed("run", *HARD, "--model", "vllm/test", *flags, "--data", cultural, "--dry")
    assert "Sent to vllm/test with each call: chat_template_kwargs {" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (("--thinking", "loud"), "--thinking loud: expected off, on, low, medium, high, or a number of tokens."),
        (("--thinking", "0"), "--thinking 0: expected off,"),
        (("--top-p", "1.5"), "--top-p 1.5: expected a share from 0 to 1."),
        (("--extra-body", '{"top_k": 0}'), "top_k 0: expected a positive number."),
        (("--extra-body", "[1]"), "--extra-body: expected a JSON object, such as"),
        (("--extra-body", "{oops"), "--extra-body: not JSON"),
        (("--extra-body", "@none.json"), "none.json: cannot be read"),
        (("--extra-body", '{"max_tokens": 9}'), "--extra-body: mores sets max_tokens itself; use --answer-tokens."),
        (("--model", "openai/o3", "--thinking", "2000"), "--thinking 2000: openai cannot be told so"),
        (("--model", "baseline/first", "--thinking", "high"),
         "baseline/first: it is no endpoint, so that none can be told; leave out --thinking."),
        (("--model", "simulated/typical", "--extra-body", '{"top_k": 3}', "--thinking", "on"),
         "leave out --thinking, top_k."),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_in_one_line_before_anything_is(
    cultural: Path, typed: Typed, flags: tuple[str, ...], why: str
) -> None:
    model = () if "--model" in flags else ("--model", "vllm/test")
    done = typed("run", *HARD, *model, "--data", cultural, *flags, "--dry")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert why in done.stderr


def test_a_judge_and_an_antagonist_are_told_nothing(tmp_path: Path) -> None:
    with listening() as listener:
        spec = Spec(
            benchmarks=("ladder/converse",), models=("vllm/subject",), limit=1, base_url=listener.url, thinking="off",
            roles={"antagonist": "vllm/other", "judge": "vllm/judge"},
        )  # fmt: skip
        hold(tmp_path / "run", spec, attempts=1)
        bodies = [json.loads(heard.body) for heard in listener.heard]
    told = {body["model"]: "chat_template_kwargs" in body for body in bodies}
    assert told == {"other": False, "subject": True, "judge": False}


def test_a_run_that_asks_of_its_subject_goes_on_as_it_began(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    spec = of(cultural, endpoint.url, thinking="high", limit=4)
    assert hold(tmp_path / "whole", spec)
    calls = endpoint.counts().requests
    endpoint.reset()
    cut = tmp_path / "cut"
    with pytest.raises(Exception, match="budget of 6 calls"):
        hold(cut, spec, max_calls=6)
    assert hold(cut, spec)
    assert left(cut) == left(tmp_path / "whole")
    assert endpoint.counts().requests == calls + 1  # a second sitting probes again
    assert encode(manifest(cut)["sent"]) == b'{"reasoning_effort":"high"}'
