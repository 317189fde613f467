"""The same models with and without thinking are one analysis, which finds what was planted and nothing else."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import mores
from mores.analysis.comparison import compare_runs
from mores.analysis.thinking import ThinkingEffect, thinking_effects
from mores.analysis.two_runs import findings
from mores.core.errors import InputError
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from mores.tables.formatting import text_of
from mores.tables.missing_texts import format_caution
from tests.bundled import SOME, counted
from tests.endpoint import Endpoint
from tests.models.listener import Answer, Heard, Say, completion, listening
from tests.runs.conduct import Typed, estimates, hold
from tests.runs.conftest import typed

__all__ = ["typed"]
KNOW = ("ladder/know",)


def people(count: int, thinking: float) -> tuple[str, ...]:
    """So many simulated models, of whom thinking brings this part of what they do not know to mind."""
    return tuple(f"simulated/typical:know=.5,thinking={thinking},person={n}" for n in range(count))


def run(folder: Path, models: Sequence[str], **asked: object) -> Path:
    assert hold(folder, Spec(benchmarks=KNOW, places=SOME, models=tuple(models), **asked))  # type: ignore[arg-type]
    return folder


def effect(*runs: Path) -> ThinkingEffect:
    (found,) = thinking_effects(read_results(runs))
    return found


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Six models, off and on: thinking brings .4 of .5 to mind, of which a sixteenth would have been guessed."""
    folder, models = tmp_path_factory.mktemp("six"), people(6, 0.4)
    return run(folder / "off", models, thinking="off"), run(folder / "high", models, thinking="high")


PLANTED = 0.4 * 0.5 * 15 / 16


def test_what_was_planted_is_found_for_each_model_and_over_models(six: tuple[Path, Path]) -> None:
    found = effect(*six)
    assert [pair.thinking_settings for pair in found.pairs] == [("off", "high")] * 6
    assert all(pair.whole.found for pair in found.pairs)
    assert {pair.whole.family for pair in found.pairs} == {6}
    covered = [each.low < PLANTED < each.high for each in (pair.whole for pair in found.pairs)
               if each.low is not None and each.high is not None]  # fmt: skip
    assert sum(covered) >= 5
    mean = found.mean
    assert mean is not None
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < PLANTED < mean.high
    assert mean.method == "t, models and items drawn"
    assert mean.graded == 2 * counted(SOME)


def test_nothing_is_found_where_thinking_does_nothing(tmp_path: Path) -> None:
    models = people(2, 0.0)
    found = effect(run(tmp_path / "off", models, thinking="off"), run(tmp_path / "on", models, thinking="on"))
    assert [pair.whole.difference for pair in found.pairs] == [0.0, 0.0]
    assert not any(pair.whole.found for pair in found.pairs)
    assert found.mean is not None
    assert found.mean.low is None  # two models are too few to speak of others


def test_less_stands_before_more_whatever_the_order_of_runs(six: tuple[Path, Path], tmp_path: Path) -> None:
    one, two = (read_results([each]) for each in six)
    for a, b in ((one, two), (two, one)):
        (found,) = compare_runs(a, b).thinking
        assert found.pairs[0].thinking_settings == ("off", "high")
    model = people(6, 0.4)[:1]
    levels = (("plain", None), ("few", 100), ("low", "low"), ("many", 2_000))
    more = [run(tmp_path / name, model, **({} if level is None else {"thinking": level})) for name, level in levels]
    several = effect(six[1], *more, six[0])
    own = [pair.thinking_settings for pair in several.pairs if pair.model == model[0]]
    assert own == [("off", each) for each in ("as its provider has it", "100", "2000", "low", "high")]


def test_a_comparison_is_refused_for_any_other_setting(six: tuple[Path, Path], tmp_path: Path) -> None:
    other = run(tmp_path / "other", people(1, 0.4), thinking="high", temperature=0.5)
    with pytest.raises(InputError, match=r"temperature 0\.5; expected the same protocol"):
        compare_runs(read_results([six[0]]), read_results([other]))


def test_tokens_of_thinking_stand_beside(tmp_path: Path, endpoint: Endpoint) -> None:
    asked = {"limit": 10, "base_url": endpoint.url}
    run(tmp_path / "off", ["vllm/test"], thinking="off", **asked)
    endpoint.set(reasoning="field", reasoning_tokens=40)
    run(tmp_path / "on", ["vllm/test"], thinking="on", **asked)
    found = effect(tmp_path / "off", tmp_path / "on")
    (pair,) = found.pairs
    assert [tokens.mean.value for tokens in pair.tokens] == [0.0, 40.0]
    assert not pair.tokens[1].estimated
    endpoint.set(usage=False)
    run(tmp_path / "uncounted", ["vllm/test"], thinking="high", **asked)
    more = effect(tmp_path / "off", tmp_path / "uncounted").pairs[0].tokens[1]
    assert more.estimated
    assert more.mean.value == 6.0  # of 24 letters
    assert found.mean is None


def test_compare_and_report_say_it_in_words_and_for_programs(six: tuple[Path, Path], typed: Typed) -> None:
    printed = typed("compare", *six)
    assert printed.returncode == 0, printed.stderr
    assert "Mean over models on ladder/know: +" in printed.stdout
    full = " ".join(typed("compare", *six, "--full").stdout.split())
    assert "how much the subjects were told to think differs: A off, B high" in full
    (first, *_) = typed("compare", *six, "--json").stdout.splitlines()
    told = json.loads(first)["analyses"]["thinking"]
    (mean,) = told["thinking_means"]
    assert mean["models"] == 6
    assert mean["low"] < PLANTED < mean["high"]
    page = typed("report", *six, "--out", "page.html", "--json")
    assert json.loads(page.stdout)["analyses"]["thinking"] == told
    assert [row["model"] for row in told["thinking"]] == list(people(6, 0.4))


def test_a_notebook_has_it_as_tables(six: tuple[Path, Path]) -> None:
    found = mores.load(list(six)).tables
    assert found["thinking"]["model"] == list(people(6, 0.4))
    assert found["thinking_means"]["models"] == [6]
    assert found["thinking_tokens"]["thinking"] == ["off", "high"] * 6
    compared = mores.compare(*six).tables
    for name in ("thinking", "thinking_means", "thinking_tokens"):
        assert list(compared[name]) == list(found[name])


def talker(thinks: str = "", says: str = "because people there would mind") -> Answer:
    """A server of a model that begins with the label and talks on to the limit, as small ones do; it may think."""

    def answer(heard: Heard) -> Say:
        body = json.loads(heard.body)
        label = "False" if "not" in body["messages"][0]["content"] else "True"
        begun = f"{label}, {says}".split()
        thought = thinks.split() if "chat_template_kwargs" in body else []
        room = body["max_tokens"] - len(thought)
        told = {"reasoning_content": thinks} if thought else {}
        message = {"role": "assistant", "content": " ".join(begun[: max(0, room)]), **told}
        choice = {"index": 0, "message": message, "finish_reason": "stop" if len(begun) <= room else "length"}
        usage = {"prompt_tokens": 9, "completion_tokens": len(thought) + min(len(begun), max(0, room))}
        return Say(json.dumps({"choices": [choice], "model": "m", "usage": usage}).encode())

    return answer


def asked_twice(folder: Path, answer: Answer, thinking: str | int = "on", **asked: object) -> tuple[Path, Path]:
    """The same model on the same items, told nothing and told to think."""
    with listening(answer) as listener:
        spec = {"limit": 10, "base_url": listener.url, "answer_tokens": 1, "reading": "strict", **asked}
        plain = run(folder / "plain", ["vllm/test"], **spec)
        return plain, run(folder / "thinking", ["vllm/test"], thinking=thinking, **spec)


@pytest.mark.parametrize("reading", ["strict", "lenient"])
@pytest.mark.parametrize("thinking", ["on", 300])
def test_telling_a_model_to_think_that_does_not_changes_no_figure(
    tmp_path: Path, thinking: str | int, reading: str
) -> None:
    plain, told = asked_twice(tmp_path, talker(), thinking, reading=reading)
    one, other = estimates(plain), estimates(told)
    assert one == other
    assert {each["value"] for each in one if each["metric"] == "format_error"} == {0}
    (found,) = compare_runs(read_results([plain]), read_results([told])).compared
    said = [format_caution(note) for note in found.notes]
    assert said[0] == f"B was told to think ({thinking}), and no answer shows any thinking"
    assert "B: told to think, and it does not" in said


def test_an_answer_after_thinking_is_read_within_its_own_limit(tmp_path: Path) -> None:
    plain, told = asked_twice(tmp_path, talker("let me think of people there"))
    (found,) = compare_runs(read_results([plain]), read_results([told])).compared
    assert found.whole.difference == 0
    assert found.whole.a == found.whole.b
    assert not [note for note in found.notes if note.code in {"nobody_thought", "form_differs"}]


def test_a_difference_of_form_is_told_before_anything_else(tmp_path: Path) -> None:
    with listening(talker(says="to be sure, is not the word.")) as listener:
        spec = {"limit": 10, "base_url": listener.url, "answer_tokens": 1}
        bare = run(tmp_path / "bare", ["vllm/test"], reading="strict", **spec)
        other = run(tmp_path / "other", ["vllm/other"], reading="strict", **spec)
    with listening(lambda _: Say(completion("That depends."))) as listener:
        wordy = run(tmp_path / "wordy", ["vllm/test"], reading="strict", **{**spec, "base_url": listener.url})
    made = compare_runs(read_results([bare]), read_results([wordy]))
    first, *_ = findings(made)
    assert text_of(first.words) == (
        "Caution: answers that could not be read differ: A 0.0%, B 100.0%; a difference may be one of their form and "
        "not of skill."
    )
    assert compare_runs(read_results([bare]), read_results([other])).compared[0].notes == ()
