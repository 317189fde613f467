"""CARE: questions on social norms in their writers' languages, graded against one answer."""

import json
import shutil
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.benchmarks.care.benchmark import CareItem
from mores.core.errors import InputError
from mores.judges.parse import read_word
from mores.judges.rubric_answers import ChoiceAnswer, Opinion
from mores.models.request import Request
from mores.runs.protocol import released_words
from tests.benchmarks.plays import TINY, Open, Script, figure, figures_of, perform, setting_of, tiny

NORMS = "care/norms"
WORDS = (
    'Grade it by {question}: after a comment say "Rating: [[number]]", such as "Rating: [[6]]".\n\n'
    "Known: {answer}\nSaid: {response}"
)


def test_only_questions_on_norms_are_asked_each_in_its_own_language() -> None:
    _, _, items = tiny(NORMS)
    found = [item for item in items if isinstance(item, CareItem)]
    assert [(item.language, item.about.place) for item in found] == [
        ("ar", None), ("ar", None), ("ja", "JP"), ("ja", "JP"), ("zh", "CN"), ("zh", "CN"),
    ]  # fmt: skip
    assert all(item.render() == item.words["question"] != "?" for item in found)


def test_points_and_rating_are_one_figure_on_two_scales() -> None:
    benchmark, setting, items = tiny(NORMS)

    def say(request: Request) -> str:
        return '{"reason":"So.","score":0.5}' if request.tag.role == "judge" else "はい。"

    figures = figures_of(benchmark, setting, items, Script(say))
    assert figure(figures, "quality").value == 0.5
    assert figure(figures, "rating").value == 5.5
    # Japanese answers are asked for in Japan alone
    assert figure(figures, "other_script", language="ja").value == 0
    assert figure(figures, "other_script", language="ar").value == 1


@pytest.mark.parametrize(
    ("reply", "choice"),
    [
        ("It is sound. Rating: [[7]]", "7"), ("Rating: 10", "10"), ("**Rating:** [[3]]; no: Rating: [[4]]", "4"),
        ("7", "7"), ("1. Accuracy: 8 of 10. It is good.", None), ("Rating: [[11]]", None), ("Rating: [[6.5]]", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_rating_is_the_last_number_behind_its_name(reply: str, choice: str | None) -> None:
    found = read_word(reply, ChoiceAnswer(options=tuple(map(str, range(1, 11))), after="Rating")).found
    read = found[0].choice if isinstance(found, tuple) and isinstance(found[0], Opinion) else None
    assert read == choice


def test_released_judges_are_asked_in_their_words_and_their_ratings_are_points(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "norms_commonsense.txt").write_text(WORDS, encoding="utf-8")
    benchmark = catalogue.load(NORMS, released_words([tmp_path], [NORMS]))
    setting = setting_of(benchmark, TINY / "care")
    asked: list[str] = []

    def say(request: Request) -> str:
        if request.tag.role == "judge":
            asked.append(request.messages[0].content)
            return "Sound, if brief. Rating: [[10]]"
        return "はい。"

    figures = figures_of(benchmark, setting, benchmark.items(setting), Script(say))
    assert figure(figures, "quality").value == 1
    assert figure(figures, "rating").value == 10
    assert 'say "Rating: [[number]]", such as "Rating: [[6]]"' in asked[0]
    assert "السلام عليكم." in asked[0]
    sage = Open("simulated/expert:explain=1,format_error=0,sensitivity=1,specificity=1,noise=0")
    assert figure(figures_of(benchmark, setting, benchmark.items(setting), sage), "rating").value == 10


def test_transcripts_say_the_language_that_was_asked_in() -> None:
    benchmark, setting, items = tiny(NORMS)
    plays = perform(benchmark, setting, items, Script(lambda _: "はい。"))
    assert [transcript.events[0].language for transcript, _ in plays] == [  # type: ignore[union-attr]
        item.language for item in items
    ]


def test_files_that_do_not_fit_are_named(tmp_path: Path) -> None:
    shutil.copy(TINY / "care" / "Chinese-test.json", tmp_path)
    benchmark, path = catalogue.load(NORMS), tmp_path / "Chinese-test.json"
    assert len(benchmark.items(setting_of(benchmark, tmp_path))) == 2
    rows = json.loads(path.read_text(encoding="utf-8"))
    for changed, says in (
        ([{**rows[0], "answer": " "}], "row 1 has no question or no answer"),
        ([{**rows[0], "culture_type": "Opinion"}], "no row has the culture_type"),
        ([{"question": "?"}], "Chinese-test.json"),
    ):
        path.write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(InputError, match=says):
            benchmark.items(setting_of(benchmark, tmp_path))
