"""The ladder in other languages: prompts with the same slots, labels in a language's words, masks, what is refused."""

import re
from pathlib import Path
from typing import Any

import pytest

import mores
from mores.benchmarks import catalogue
from mores.benchmarks.ladder.languages import HERE, label_words, languages
from mores.benchmarks.shapes.closed_question import ClosedItem, grade
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.core.transcript import ReplyEvent, Transcript
from tests.benchmarks.plays import setting_of

OTHERS = [tag for tag in languages() if tag != "en"]
RUNGS = ("know", "judge", "explain", "apply", "converse")
PACK = """
place = "JP"
place_name = "اليابان"
[[norm]]
id = "JP-greetings-bow"
domain = "greetings"
topic = "greeting"
statement = "في اليابان ينحني كثير من الناس عند التحية."
negation = "في اليابان يرى كثير من الناس الانحناء وقاحة."
strictness = "sometimes"
courtesy = "breaks"
masked = { "اليابان" = "البلد", "أيكو" = "سام" }
[[norm.source]]
title = "Greetings"
url = "https://example.org/greetings"
looked_up = "2026-11-21"
verified = true
found = "The page says that people bow."
[[norm.know]]
question = "كيف يحيي الناس بعضهم في اليابان؟"
options = [{ text = "ينحنون", true = true }, { text = "يصفرون", true = false }]
[[norm.judge]]
story = "تلتقي أيكو بمعلمتها وتنحني."
question = "هل كان ذلك مقبولا هناك؟"
label = "yes"
why = "She greets as many people do."
[norm.explain]
story = "تلتقي أيكو بمعلمتها وتصافحها."
question = "هل كان ذلك مقبولا هناك؟"
label = "no"
reference = "لم يكن مقبولا لأن الناس ينحنون."
elements = ["الانحناء"]
thin = "لم يكن لطيفا."
[norm.converse]
scene = "يستعد اثنان لاستقبال ضيف."
other = { name = "أيكو", who = "مضيفة", local = true }
you = { name = "كين", who = "صديق" }
proposal = "مصافحة الضيف بقوة."
goal = "الاتفاق على طريقة الاستقبال."
[[bundle]]
id = "JP-visit"
question = "كيف نستقبل ضيفا في اليابان؟"
masked = { "اليابان" = "البلد" }
[[bundle.norm]]
id = "JP-greetings-bow"
satisfied = "انحن له."
neutral = "قدم الشاي."
violated = "صافحه."
"""


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arabic") / "pack"
    folder.mkdir()
    (folder / "JP.toml").write_text(PACK, encoding="utf-8")
    (folder / "pack.toml").write_text('id = "x-ar"\nname = "X"\nversion = "1"\nlanguage = "ar"\n', encoding="utf-8")
    return folder


@pytest.mark.parametrize("tag", OTHERS)
@pytest.mark.parametrize("rung", RUNGS)
def test_a_prompt_in_another_language_has_the_slots_and_the_role_of_the_english_one(rung: str, tag: str) -> None:
    one, other = Prompt.read(HERE / f"{rung}.prompt.md"), Prompt.read(HERE / f"{rung}.{tag}.prompt.md")
    assert (one.slots, one.header.role) == (other.slots, other.header.role)
    assert (other.header.language, other.header.name) == (tag, f"ladder.{rung}.{tag}.v1")


@pytest.mark.parametrize("tag", OTHERS)
def test_a_prompt_asks_for_the_first_word_of_each_label(tag: str) -> None:
    words = label_words()[tag]
    for rung, labels in (("know", ("true", "false")), ("judge", ("yes", "no", "neutral")), ("explain", ("yes", "no"))):
        body = Prompt.read(HERE / f"{rung}.{tag}.prompt.md").body.casefold()
        assert all(words[label][0] in body for label in labels), (rung, tag)


@pytest.mark.parametrize("tag", OTHERS)
def test_no_word_stands_for_two_labels_of_one_question(tag: str) -> None:
    for labels in (("true", "false"), ("yes", "no", "neutral")):
        words = [word for label in labels for word in label_words()[tag][label]]
        assert len(set(words)) == len(words)
        assert all(word == word.casefold() for word in words)


def read(item: ClosedItem, reply: str) -> tuple[str | None, ...]:
    """Label of a reply, as it is read strictly and leniently."""
    events = (ReplyEvent(role="subject", text=reply),)
    found = grade(item, Transcript(item=item.about.item, sample=0, events=events))
    return tuple(getattr(verdict, "label", None) for verdict in found)


@pytest.mark.parametrize(
    ("reply", "labels"),
    [
        ("صحيح", ("true", "true")),
        ("**خطأ.**", ("false", "false")),
        ("الإجابة صحيح", (None, "true")),
        ("true", (None, None)),
        ("صحيح أو خطأ", (None, None)),
    ],
)
def test_labels_are_read_in_the_words_of_the_pack_s_language(
    pack: Path, reply: str, labels: tuple[str | None, ...]
) -> None:
    benchmark: Any = catalogue.load("ladder/know")
    item = benchmark.items(setting_of(benchmark, pack))[0]
    assert item.render().startswith("سؤال عن العادات في اليابان")
    assert read(item, reply) == labels


def test_a_simulated_subject_answers_in_the_language_and_is_read(pack: Path, tmp_path: Path) -> None:
    rungs = [f"ladder/{rung}" for rung in RUNGS]
    mores.run(rungs, model="simulated/expert:format_error=0", data=pack, out=tmp_path / "run")
    notes = (tmp_path / "run").rglob("manifest.json")
    text = "".join(path.read_text(encoding="utf-8") for path in notes)
    assert text.count('"items": 1') + text.count('"items":1') > 0
    assert "a translation into Arabic, which none of its speakers has checked" in text
    assert "No claim between languages rests on it." in text
    assert "ladder.know.ar.v1" in text
    assert not re.search(r"ladder\.know\.(es|hi|v1)", text)


def test_masked_items_name_the_place_in_no_language(pack: Path) -> None:
    for rung in RUNGS:
        benchmark: Any = catalogue.load(f"ladder/{rung}")
        setting = setting_of(benchmark, pack)
        put = benchmark.controls["masked"].make(setting)
        for item in benchmark.items(setting):
            asked = put(item)
            seen = asked.subject.brief if rung == "converse" else asked.render()
            assert "اليابان" not in seen, rung


def test_controls_without_words_in_the_language_say_so(pack: Path) -> None:
    benchmark: Any = catalogue.load("ladder/know")
    setting = setting_of(benchmark, pack)
    for control in ("told", "swapped"):
        left_out = benchmark.controls[control].make(setting)(benchmark.items(setting)[0])
        assert left_out.why == "are in a language that this control has no words in"


def test_who_proposes_is_told_which_language_to_speak(pack: Path) -> None:
    benchmark: Any = catalogue.load("ladder/converse")
    (item,) = benchmark.items(setting_of(benchmark, pack))
    assert item.antagonist.brief.startswith("Speak Arabic throughout")
    (english, *_) = benchmark.items(setting_of(benchmark, None))
    assert english.antagonist.brief.startswith("You play")


def test_the_town_and_unknown_languages_are_refused_in_a_line(pack: Path, tmp_path: Path) -> None:
    live = catalogue.load("ladder/live")
    with pytest.raises(InputError, match="its language is ar, and the town speaks English; run ladder/know"):
        live.items(setting_of(live, pack))
    (tmp_path / "JP.toml").write_text(PACK, encoding="utf-8")
    (tmp_path / "pack.toml").write_text('id = "x"\nname = "X"\nversion = "1"\nlanguage = "fi"\n', encoding="utf-8")
    know = catalogue.load("ladder/know")
    with pytest.raises(InputError, match="its language is fi; the ladder has prompts in en, ar, es, hi, id, sw"):
        know.items(setting_of(know, tmp_path))
