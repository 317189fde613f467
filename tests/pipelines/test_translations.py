"""Packs in another language: written by one, read back, compared and keyed again by another; masks in the language."""

import asyncio
import csv
import io
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.models.cast import Cast
from mores.models.request import CallFailed, Reply, Request
from mores.norms.pack import load_pack
from mores.pipelines.funnel import Dropped, Kept, KeptOrDropped
from mores.pipelines.pipeline import Pipeline
from mores.pipelines.translate.languages import target_language
from mores.pipelines.translate.pipeline import TranslatedUnit, translate_pipeline
from mores.pipelines.translate.texts import PARTS, texts_of
from mores.pipelines.translate.units import TranslationUnit
from tests.pipelines.scripted import Scripted

NORM = """
place = "JP"
region = "East Asia"
[[norm]]
id = "JP-greetings-bow"
domain = "greetings"
topic = "greeting"
statement = "In Japan, many people bow when they greet someone."
negation = "In Japan, many people find a bow rude as a greeting."
strictness = "sometimes"
courtesy = "breaks"
masked = { "Japan" = "the country", "Aiko" = "Sam" }
[[norm.source]]
title = "Greetings"
url = "https://example.org/greetings"
looked_up = "2026-11-21"
verified = true
found = "The page says that people bow."
dissent = "Among children of one class nobody does."
[[norm.know]]
question = "How do many people in Japan greet?"
options = [{ text = "They bow.", true = true }, { text = "They whistle 3 times.", true = false, elsewhere = "FR" }]
[[norm.know]]
question = "Who among these does not?"
options = [{ text = "Children of one class", true = true }, { text = "Colleagues of one firm", true = false }]
boundary = "https://example.org/greetings"
[[norm.judge]]
story = "Aiko meets her teacher and bows."
question = "Was what Aiko did acceptable there?"
label = "yes"
why = "She greets as many people do."
"""
Answers = Callable[[str, int], Mapping[str, object] | CallFailed | None]
GLOSSARY = {"Japan": ("اليابان", "البلد"), "Aiko": ("أيكو", "سام")}


def written(words: str) -> str:
    """A translation with the numbers and names that a text has."""
    names = [arabic for english, (arabic, _) in GLOSSARY.items() if english in words]
    return " ".join(("نص عربي", *names, *(sign for sign in words if sign.isdigit())))


def usual(request: Request) -> Mapping[str, object]:
    step = request.tag.item.removeprefix("JP-greetings-bow/")
    name, _, part = step.partition("/")
    match name:
        case "glossary":
            entries = [{"word": w, "translation": t, "instead": i} for w, (t, i) in GLOSSARY.items()]
            return {"status": "ok", "entries": entries}
        case "texts":
            return {"status": "ok", "texts": [written(text) for text in english(part)]}
        case "back":
            return {"texts": english(part)}
        case "compare":
            same = {"meaning": "same", "negation": "same", "difference": ""}
            return {"texts": [{"number": n, **same} for n in range(1, len(english(part)) + 1)]}
        case "truths":
            return {"true": ["a"]}
        case _:
            return {"label": "yes"}


def english(part: str) -> list[str]:
    """English texts of a part of the norm."""
    return [text.words for text in texts_of(tomllib.loads(NORM)["norm"][0], part)]


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "JP.toml").write_text(NORM, encoding="utf-8")
    return folder


def pipeline_of(pack: Path, tag: str = "ar") -> Pipeline[TranslationUnit, TranslatedUnit]:
    return translate_pipeline(str(pack), tag, {"writer": "simulated/expert", "checker": "simulated/typical"})


def made(pack: Path, answers: Answers = lambda _step, _time: None) -> tuple[KeptOrDropped[TranslatedUnit], Scripted]:
    """What becomes of the norm where `answers` says something else than usual at a step, by how often it was asked."""
    times: Counter[str] = Counter()

    def script(request: Request) -> str | Reply | CallFailed:
        step = request.tag.item.removeprefix("JP-greetings-bow/")
        said = answers(step, times[step])
        times[step] += 1
        return said if isinstance(said, CallFailed) else json.dumps(usual(request) if said is None else said)

    voice, pipeline = Scripted(script), pipeline_of(pack)
    (unit,) = pipeline.units
    return asyncio.run(pipeline.outcome_of(unit, Cast({"writer": voice, "checker": voice}))), voice


def kept(outcome: KeptOrDropped[TranslatedUnit]) -> TranslatedUnit:
    assert isinstance(outcome, Kept), outcome
    return outcome.value


def lost(outcome: KeptOrDropped[TranslatedUnit]) -> Dropped:
    assert isinstance(outcome, Dropped), outcome
    return outcome


def test_the_release_is_a_pack_in_the_language_with_its_keys_sources_and_masks(pack: Path, tmp_path: Path) -> None:
    outcome, _ = made(pack)
    release = pipeline_of(pack).release([kept(outcome)])
    for name, data in release.files.items():
        path = tmp_path / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    there = load_pack(tmp_path / "out" / "pack")
    (norm,) = there.norms
    assert (there.language, there.checked, there.id) == ("ar", 0, "pack-ar")
    assert norm.norm.statement == "نص عربي اليابان"
    assert norm.masked == {"اليابان": "البلد", "أيكو": "سام"}
    assert [[option.true for option in item.options] for item in norm.know] == [[True, False], [True, False]]
    assert norm.know[0].options[1].elsewhere == "FR"
    assert [item.boundary for item in norm.know] == ["", "https://example.org/greetings"]
    assert norm.norm.sources == load_pack(pack).norms[0].norm.sources
    assert norm.region == "East Asia"
    assert (release.facts["norms"], release.facts["checked_by_speakers"]) == (1, 0)
    assert release.files["speakers/design.toml"]
    rows = list(csv.DictReader(io.StringIO(release.files["speakers/items.csv"].decode("utf-8-sig"))))
    assert [row["part"] for row in rows] == ["norm", "questions", "scenes"]
    assert rows[0]["english"].splitlines()[0] == "Norm: In Japan, many people bow when they greet someone."
    assert rows[0]["translation"].splitlines()[0] == "نص عربي اليابان"


def test_every_text_that_a_subject_may_see_is_translated() -> None:
    """What stays English is read by judges and people alone."""
    table = {
        "know": [{"question": "q", "options": [{"text": "t", "elsewhere": "FR"}], "boundary": "https://x"}],
        "judge": [{"story": "s", "question": "q", "label": "yes", "why": "because", "unmet": "u"}],
        "explain": {"story": "s", "question": "q", "label": "no", "reference": "r", "elements": ["e"], "thin": "t"},
        "converse": {"scene": "s", "other": {"name": "n", "who": "w", "local": True}, "proposal": "p", "goal": "g"},
    }
    found = [text.words for part in PARTS for text in texts_of(table, part)]
    assert sorted(found) == sorted(["q", "t", "s", "q", "s", "q", "r", "e", "t", "s", "n", "w", "p", "g"])


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["نص عربي اليابان"], "1 texts; expected 2"),
        (["نص عربي اليابان", " "], "text 2: it has no words"),
        (["In Japan, many people bow when they greet someone.", "نص اليابان"], "text 1: it is the English text"),
        (["En Japon on se salue ainsi", "نص اليابان"], "text 1: its letters are not those of Arabic"),
        (["نص عربي", "نص اليابان"], 'text 1: neither "اليابان" nor a form of it stands for "Japan"'),
        (["نص اليابان 4", "نص اليابان"], "text 1: its numbers in digits are 4; the English text has none"),
    ],
)
def test_a_writer_is_told_what_can_be_seen_to_be_wrong(pack: Path, texts: list[str], says: str) -> None:
    def answers(step: str, time: int) -> Mapping[str, object] | None:
        return {"status": "ok", "texts": texts} if step == "texts/norm" and time == 0 else None

    outcome, voice = made(pack, answers)
    kept(outcome)
    again = [request.messages[-1].content for request in voice.asked if request.tag.item.endswith("texts/norm")]
    assert len(again) == 2
    assert says in again[1]


def test_digits_of_any_script_are_the_same_number(pack: Path) -> None:
    def answers(step: str, _time: int) -> Mapping[str, object] | None:
        own = [written(text).replace("3", "٣") for text in english("questions")]
        return {"status": "ok", "texts": own} if step == "texts/questions" else None

    outcome, voice = made(pack, answers)
    kept(outcome)
    assert sum(request.tag.item.endswith("texts/questions") for request in voice.asked) == 1


def test_a_changed_meaning_or_negation_is_written_anew_with_the_difference_and_then_dropped(pack: Path) -> None:
    def once(step: str, time: int) -> Mapping[str, object] | None:
        changed = {"number": 1, "meaning": "same", "negation": "changed", "difference": "they do not bow"}
        same = {"number": 2, "meaning": "same", "negation": "same", "difference": ""}
        return {"texts": [changed, same]} if step == "compare/norm" and time < limit else None

    limit = 1
    outcome, voice = made(pack, once)
    assert kept(outcome).parts["norm"].rewritten == 1
    told = [request.messages[-1].content for request in voice.asked if request.tag.item.endswith("texts/norm")]
    assert "text 1: the negation is changed, they do not bow" in told[-1]
    limit = 9
    outcome, _ = made(pack, once)
    assert (lost(outcome).stage, lost(outcome).reason) == ("norm", "the checker finds it changed")


def test_a_key_that_is_found_in_english_alone_sends_the_translation_back(pack: Path) -> None:
    def answers(step: str, time: int) -> Mapping[str, object] | None:
        return {"true": ["b"]} if step == "truths/know/0" and time == 0 else None

    outcome, voice = made(pack, answers)
    assert kept(outcome).parts["questions"].rewritten == 1
    told = [request.messages[-1].content for request in voice.asked if request.tag.item.endswith("texts/questions")]
    assert "know 1: right is a; in the language b was found right." in told[-1]


def test_a_key_that_is_found_in_neither_language_is_no_fault_of_the_translation(pack: Path) -> None:
    outcome, _ = made(pack, lambda step, _time: {"label": "no"} if step.startswith("label/judge/0") else None)
    found = kept(outcome)
    assert [part.doubtful for part in found.parts.values()] == [0, 0, 1]
    assert pipeline_of(pack).release([found]).facts["doubtful_keys"] == 1


def test_the_key_of_a_boundary_rests_on_its_source(pack: Path) -> None:
    _, voice = made(pack)
    (asked,) = [each.messages[-1].content for each in voice.asked if each.tag.item.endswith("truths/know/1")]
    assert "Among children of one class nobody does." in asked


def test_who_translates_back_has_not_seen_the_english_texts(pack: Path) -> None:
    _, voice = made(pack)
    asked = [request.messages[-1].content for request in voice.asked if "/back/" in request.tag.item]
    assert len(asked) == 3
    assert not any(text in prompt for prompt in asked for part in PARTS for text in english(part))


def test_a_form_that_grammar_makes_is_masked_as_well(pack: Path) -> None:
    def answers(step: str, _time: int) -> Mapping[str, object] | None:
        if step != "texts/norm":
            return None
        forms = [{"word": "Japan", "form": "باليابان", "instead": "بالبلد"}]
        return {"status": "ok", "texts": ["نص عربي باليابان", "نص باليابان"], "forms": forms}

    outcome, _ = made(pack, answers)
    assert kept(outcome).table["masked"]["باليابان"] == "بالبلد"


@pytest.mark.parametrize(
    ("tag", "says"),
    [
        ("en-GB", "--language en-GB: the pack is in English"),
        ("xx", "--language xx: no language of this tag; expected a BCP 47 tag such as ar or pt-BR"),
        ("tlh-Piqd", "--language tlh-Piqd: no language of this tag"),
    ],
)
def test_a_language_that_cannot_be_is_refused_in_a_line(pack: Path, tag: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        pipeline_of(pack, tag)


def test_a_pack_that_is_a_translation_is_not_translated_again(pack: Path) -> None:
    (pack / "pack.toml").write_text('id = "x"\nname = "X"\nversion = "1"\nlanguage = "sw"\n', encoding="utf-8")
    with pytest.raises(InputError, match="its language is sw; expected a pack in English"):
        pipeline_of(pack)


def test_the_checker_is_another_model_than_the_writer(pack: Path) -> None:
    with pytest.raises(InputError, match="it writes too; expected another model to check"):
        translate_pipeline(str(pack), "ar", {"writer": "simulated/expert", "checker": "simulated/expert"})


@pytest.mark.parametrize(
    ("tag", "name", "there"),
    [("hi", "Hindi", "जापान"), ("id", "Indonesian", "Jepang"), ("es", "Spanish", "Japón"), ("sw", "Swahili", "Japani")],
)
def test_languages_are_those_of_unicode_s_tables(tag: str, name: str, there: str) -> None:
    assert (target_language(tag).name, target_language(tag).country("JP")) == (name, there)
