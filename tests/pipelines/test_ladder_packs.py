"""Packs made of norms: labels by a table, parts written and checked by two, written anew, dropped; a pack that runs."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.norms.pack import load_pack
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped
from mores.pipelines.ladder.draft import ROWS, plan_of
from mores.pipelines.ladder.pipeline import BuiltNormItems, ladder_pipeline
from mores.pipelines.ladder.prompts import CHECKS, WRITES
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.pipeline import Pipeline
from tests.pipelines.scripted import Scripted

Words = Mapping[str, object]
NORM = BuiltNorm(
    id="tea", place="KZ", statement="In Kazakhstan, many hosts fill a guest's bowl of tea half, and fill it again.",
    source="A page",
)  # fmt: skip
PLAN = plan_of(NORM.id)


def _options(right: str) -> list[Words]:
    return [
        {"text": f"A bowl that is filled {how}", "true": letter in right,
         "elsewhere": "" if letter in right else "Japan"}
        for letter, how in zip("abcd", ("to half", "to the rim", "bit by bit", "at once"), strict=True)
    ]  # fmt: skip


def _scene(number: int) -> Words:
    story = f"In Almaty, Aigerim hands Daniyar bowl {number} of tea."
    return {"story": story, "question": "Was what Aigerim did socially acceptable there?", "why": "So it is.",
            "unmet": "nobody is a guest"}  # fmt: skip


USUAL: dict[str, Words] = {
    "about": {"status": "ok", "negation": "Many hosts fill it to the rim.", "domain": "etiquette", "topic": "tea",
              "strictness": "sometimes", "courtesy": "breaks"},
    "questions": {"status": "ok", "first": {"question": "What does a host do?", "options": _options("ac")},
                  "second": {"question": "What would be odd?", "options": _options("bd")}},
    "scenes": {"status": "ok", "first": _scene(1), "second": _scene(2), "third": _scene(3), "elements": ["half"],
               "thin": "It was nice."},
    "talk": {"status": "ok", "scene": "Two hosts get tea ready.", "other": {"name": "Aigerim", "who": "a host"},
             "local": True, "you": {"name": "Ben", "who": "a friend"}, "proposal": "Suggest to pour to the rim.",
             "goal": "Settle who pours.", "kind": "apartment", "task": "pour tea for a visitor"},
    "open": {"status": "ok", "question": "How should Ben serve tea in Almaty?", "satisfied": "Pour a little.",
             "neutral": "Buy milk.", "violated": "Pour to the rim."},
    "mask": {"status": "ok", "swaps": [{"words": "Almaty", "instead": "the town"}]},
    "proposal": {"against": "no" if PLAN.harmless else "yes", "reachable": "yes", "comes_up": "yes"},
    "answer": {"one": "keeps", "two": "open", "three": "breaks", "gives_away": "no"},
}  # fmt: skip
Answers = Callable[[str, int], Words | CallFailed | None]


def step_of(request: Request) -> str:
    return request.tag.item.removeprefix(f"{NORM.id}/")


def usual(step: str) -> Words:
    name, _, part = step.partition("/")
    if name == "truths":
        return {letter: letter in ("ac" if part == "1" else "bd") for letter in "abcd"}
    if name == "label":
        return {"label": PLAN.scenes[int(part) - 1].label, "gives_away": "no"}
    return USUAL[name]


def made(
    tmp_path: Path, answers: Answers = lambda _step, _time: None
) -> tuple[KeptOrDropped[BuiltNormItems], Scripted]:
    """What becomes of the norm where `answers` says something else than usual at a step, by how often it was asked."""
    times: Counter[str] = Counter()

    def script(request: Request) -> str | Reply | CallFailed:
        step = step_of(request)
        said = answers(step, times[step])
        times[step] += 1
        return said if isinstance(said, CallFailed) else json.dumps(usual(step) if said is None else said)

    voice = Scripted(script)
    pipeline = _pipeline(tmp_path)
    return asyncio.run(pipeline.outcome_of(NORM, Cast({"writer": voice, "checker": voice}))), voice


def _pipeline(
    folder: Path, writer: str = "simulated/expert", checker: str = "simulated/typical"
) -> Pipeline[BuiltNorm, BuiltNormItems]:
    table = folder / "norms.csv"
    table.write_text(f'id,place,statement,source\ntea,KZ,"{NORM.statement}",A page\n')
    return ladder_pipeline(str(table), writer, checker)


def lost(outcome: KeptOrDropped[BuiltNormItems]) -> Dropped:
    assert isinstance(outcome, Dropped), outcome
    return outcome


def test_over_the_rows_of_the_table_no_label_goes_with_another_or_with_the_tone() -> None:
    told = [(scene.label, row.explain.label) for row in ROWS for scene in row.judge if scene.label != "neutral"]
    pairs = Counter(told)
    assert pairs["yes", "yes"] * pairs["no", "no"] == pairs["yes", "no"] * pairs["no", "yes"]
    tones = Counter((scene.label, scene.tone) for row in ROWS for scene in row.scenes)
    assert all(tones[label, "warm"] == tones[label, "plain"] for label in ("yes", "no", "neutral"))
    assert sum(row.harmless for row in ROWS) / len(ROWS) >= 1 / 3


def test_a_norm_gets_items_of_all_rungs_and_the_table_its_labels(tmp_path: Path) -> None:
    outcome, voice = made(tmp_path)
    assert isinstance(outcome, Kept), outcome
    pipeline = _pipeline(tmp_path)
    release = pipeline.release([outcome.value])
    for name, data in release.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    pack = load_pack(tmp_path / "pack")
    (entry,) = pack.norms
    assert [scene.label for scene in entry.judge] == [scene.label for scene in PLAN.judge]
    assert entry.explain is not None
    assert entry.converse is not None
    assert (entry.explain.label, entry.converse.harmless) == (PLAN.explain.label, PLAN.harmless)
    assert [[option.true for option in asked.options] for asked in entry.know] == [
        [True, False, True, False], [False, True, False, True],
    ]  # fmt: skip
    assert entry.masked == {"Almaty": "the town"}
    assert (entry.norm.verified, entry.norm.courtesy) == (False, "breaks")
    assert len(pack.bundles) == 1
    assert "simulated" in pack.name
    assert {step_of(request).split("/")[0] for request in voice.asked} == {*WRITES, *CHECKS}


@pytest.mark.parametrize(
    ("step", "other", "fault"),
    [
        ("truths/2", {"a": True, "b": True, "c": False, "d": True}, "statements a of question 2"),
        ("label/1", {"label": "neutral" if PLAN.judge[0].label != "neutral" else "yes", "gives_away": "no"}, "scene 1"),
        ("label/3", {"label": PLAN.explain.label, "gives_away": "yes"}, "scene 3 says itself"),
        ("proposal", {**USUAL["proposal"], "comes_up": "no"}, "does not bring the norm up"),
        ("answer", {**USUAL["answer"], "two": "breaks"}, "answers two"),
    ],
)
def test_what_the_checker_sees_otherwise_is_written_anew_and_dropped_after_the_third_time(
    tmp_path: Path, step: str, other: Words, fault: str
) -> None:
    once, voice = made(tmp_path, lambda here, time: other if here == step and time == 0 else None)
    assert isinstance(once, Kept), once
    assert once.value.rewritten == 1
    again = [request.messages[0].content for request in voice.asked if request.tag.role == "writer"]
    assert any(fault in words for words in again)
    dropped = lost(made(tmp_path, lambda here, _: other if here == step else None)[0])
    assert dropped.reason == "the checker finds that it does not hold"
    assert fault in dropped.detail


@pytest.mark.parametrize(
    ("step", "wrong", "said"),
    [
        ("questions", {"options": _options("ac")[:3]}, "3 statements"),
        ("questions", {"options": _options("abcd")}, "only true"),
        ("questions", {"options": [{**each, "elsewhere": ""} for each in _options("ac")]}, "in another country"),
        ("questions", {"options": [{**each, "elsewhere": "Atlantis"} for each in _options("ac")]}, "no country"),
        ("questions", {"options": [{**each, "elsewhere": "Kazakhstan"} for each in _options("ac")]}, "own country"),
    ],
)
def test_a_question_that_will_not_do_is_told_to_its_writer(tmp_path: Path, step: str, wrong: Words, said: str) -> None:
    bad = {**USUAL[step], "first": {"question": "What does a host do?", **wrong}}
    outcome, voice = made(tmp_path, lambda here, time: bad if here == step and time == 0 else None)
    assert isinstance(outcome, Kept), outcome
    told = [request.messages[-1].content for request in voice.asked if step_of(request) == step]
    assert said in told[-1]


@pytest.mark.parametrize(
    ("step", "wrong", "said"),
    [
        ("scenes", {"first": {**_scene(1), "story": NORM.statement}}, "give the norm away"),
        ("talk", {"proposal": "Suggest to pour without filling it half."}, "denying"),
        ("talk", {"task": "pour tea on Sunday"}, "names a time"),
        ("mask", {"swaps": [{"words": "Almaty", "instead": "Kazakhstan"}]}, "still named"),
        ("about", {"negation": NORM.statement}, "the norm itself"),
    ],
)
def test_words_that_give_norm_or_place_away_are_told_to_their_writer(
    tmp_path: Path, step: str, wrong: Words, said: str
) -> None:
    bad = {**USUAL[step], **wrong}
    outcome, voice = made(tmp_path, lambda here, time: bad if here == step and time == 0 else None)
    assert isinstance(outcome, Kept), outcome
    told = [request.messages[-1].content for request in voice.asked if step_of(request) == step]
    assert said in told[-1]


def test_a_call_that_fails_leaves_the_norm_waiting(tmp_path: Path) -> None:
    failure = CallFailed("http_error", "503", passing=True)
    assert lost(made(tmp_path, lambda step, _: failure if step == "open" else None)[0]).transient


def test_a_model_never_checks_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected another model to check"):
        _pipeline(tmp_path, writer="openai/x", checker="openai/x")


def test_each_rule_of_normad_is_one_norm_however_many_stories_it_has(tmp_path: Path) -> None:
    rules = ("Fill it half.", "Fill it half.", "Pour it first for the oldest.")
    rows = (f"{number},kazakhstan,Story {number},{rule},yes" for number, rule in enumerate(rules))
    table = tmp_path / "normad.csv"
    table.write_text("\n".join(("id,Country,Story,Rule-of-Thumb,Gold Label", *rows)) + "\n")
    pipeline = ladder_pipeline(norms=str(table), writer="simulated/a", checker="simulated/b")
    assert [norm.statement for norm in pipeline.units] == [rules[0], rules[2]]
    (again,) = pipeline.dropped_before
    assert again.reason == "a row above says the same of its place"
