"""BLEnD: the same questions in the language of a place and in English, held against what people there answered."""

import csv
import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from msgspec import structs

from mores.analysis.contrast import Contrast
from mores.analysis.results import Results
from mores.benchmarks import catalogue
from mores.benchmarks.blend.analysis import analyse, language_contrasts
from mores.benchmarks.blend.choices import LETTERS
from mores.benchmarks.blend.data import survey_places
from mores.benchmarks.blend.masking import MASKED, hide_place
from mores.benchmarks.blend.matching import AcceptedAnswer, match_answer, normal_form, says_unknown
from mores.benchmarks.blend.short_answer import ShortAnswerItem, leave_one_out
from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.core.errors import InputError
from mores.core.languages import language_of
from mores.core.prompt import Prompt
from mores.core.verdict import Graded
from mores.models.request import Reply, Request
from mores.norms.places import find
from mores.runs.loading import read_results
from mores.runs.protocol import released_words
from mores.runs.spec import Spec
from mores.tables.blocks import TableBlock
from mores.tables.formatting import text_of
from tests.benchmarks.plays import TINY, Open, Script, figure, figures_of, perform, setting_of, tiny
from tests.runs.conduct import Typed, hold
from tests.runs.conftest import typed

__all__ = ["typed"]

LOCAL, ENGLISH, CHOICES = "blend/saq_local", "blend/saq_english", "blend/mcq"
SEMEVAL, SEMEVAL_CHOICES = "blend/semeval_saq", "blend/semeval_mcq"


def accepted(language: str, *answers: tuple[str, int]) -> tuple[AcceptedAnswer, ...]:
    return tuple(AcceptedAnswer(texts={language: (text,)}, votes=votes) for text, votes in answers)


@pytest.mark.parametrize(
    ("language", "said", "people"),
    [
        ("en", "They usually eat Apples.", "an apple"), ("en", "Two", "2"), ("en", "ice-cream", "icecream"),
        ("ar", "الأُرْز", "ارز"), ("ar", "٧:٣٠", "7:30"), ("fa", "كتاب‌ها", "کتاب"), ("el", "η Τυρόπιτα", "τυροπιτα"),
        ("es", "El café.", "cafe"), ("es", "Los frijoles", "frijol"), ("ko", "떡볶이를 먹습니다", "떡 볶이"),
        ("zh", "大家都吃米饭。", "米饭"), ("am", "ሐምሌ", "ሀምሌ"), ("az", "İstanbul", "istanbul"),
        ("ha", "Ƙosai", "kosai"), ("as", "ভাত।", "ভাত"), ("su", "Kéjo", "kejo"), ("id", "nasinya", "nasi"),
    ],
)  # fmt: skip
def test_spellings_of_one_answer_are_one(language: str, said: str, people: str) -> None:
    assert match_answer(said, accepted(language, (people, 1)), (language,)) is not None


@pytest.mark.parametrize(
    ("language", "said", "people"),
    [
        ("en", "pineapple", "apple"), ("en", "", "apple"), ("en", "7", "7:30"), ("ko", "비빔밥", "밥"),
        ("zh", "面包", "米饭"), ("ar", "خبز", "ارز"), ("es", "pan", "panadería"),
    ],
)  # fmt: skip
def test_other_answers_are_no_match(language: str, said: str, people: str) -> None:
    assert match_answer(said, accepted(language, (people, 1)), (language,)) is None


def test_of_several_answers_the_most_frequent_counts_unless_another_is_all_that_was_said() -> None:
    people = accepted("en", ("tea", 1), ("rice", 3), ("rice tea", 1))
    first = match_answer("tea and rice", people, ("en",))
    whole = match_answer("Rice tea!", people, ("en",))
    assert first is not None
    assert (first.index, first.whole) == (1, False)
    assert whole is not None
    assert (whole.index, whole.whole) == (2, True)


def test_one_form_is_its_own_form() -> None:
    for language, text in (("en", "The dishes"), ("ar", "الإجابة"), ("ko", "밥을"), ("zh", "米 饭"), ("am", "ፀሐይ")):
        once = " ".join(normal_form(text, language))
        assert "".join(normal_form(once, language)) == once.replace(" ", "")


def test_saying_that_one_does_not_know_is_told_in_either_language() -> None:
    assert says_unknown("모르겠습니다", "ko") or says_unknown("모르겠", "ko")
    assert says_unknown("I don't know.", "ko")
    assert not says_unknown("김치", "ko")


def test_both_languages_ask_the_same_units_of_the_same_clusters_in_two_sets_of_words() -> None:
    (_, _, local), (_, _, english) = tiny(LOCAL), tiny(ENGLISH)
    assert [item.about.unit for item in local] == [item.about.unit for item in english]
    assert [item.about.cluster for item in local] == [item.about.cluster for item in english]
    assert {item.about.groups["language"] for item in english} == {"en"}
    assert {item.about.groups["language"] for item in local} == {"ko", "es", "ha", "en"}
    korean = next(item for item in local if item.about.unit == "KR-T-01")
    assert "아침에" in korean.render()
    assert "morning" not in korean.render()


def test_places_are_codes_and_parts_of_countries_have_a_group() -> None:
    places = survey_places()
    assert {name: place.place for name, place in places.items() if "-" in place.place} == {
        "Assam": "IN-AS", "West_Java": "ID-JB",
    }  # fmt: skip
    assert all(find(name).id == place.place for name, place in places.items())
    _, _, items = tiny(LOCAL)
    assert {item.about.groups.get("subnational") for item in items if item.about.place == "NG"} == {"northern Nigeria"}


def test_prompts_of_all_languages_have_the_same_slots_and_say_which_language_they_are_in() -> None:
    prompts = catalogue.load(LOCAL).prompts
    for base in ("saq_local", "saq_person"):
        siblings = [prompt for prompt in prompts if prompt.header.name.startswith(f"blend.{base}.")]
        assert len(siblings) == len(survey_places()) == 16
        assert {prompt.slots for prompt in siblings} == {frozenset({"question"})}
        for prompt in siblings:
            assert prompt.header.name.split(".")[2] == prompt.header.language
            assert prompt.header.unread == (language_of(prompt.header.language).subtag != "en")


def items_of(name: str, data: Path, **changes: Any) -> list[ShortAnswerItem]:
    benchmark = catalogue.load(name)
    found = benchmark.items(setting_of(benchmark, data, **changes))
    return [item for item in found if isinstance(item, ShortAnswerItem)]


def by_unit(name: str, words: str, **changes: Any) -> dict[str, dict[str, Graded]]:
    benchmark, setting, items = tiny(name, **changes)
    plays = perform(benchmark, setting, items, Script(lambda _: words))
    return {v[0].about.unit: {g.task: g for g in v if isinstance(g, Graded)} for _, v in plays}


def test_the_share_of_people_who_gave_the_answer_stands_beside_right_and_wrong() -> None:
    found = by_unit(LOCAL, "아마 과일이나 빵")
    assert found["KR-T-01"]["match"].points == 1
    assert found["KR-T-01"]["votes"].points == 1 / 5
    assert found["KR-T-01"]["votes_of_top"].points == 1 / 4
    assert found["KR-T-01"]["whole"].points == 0
    assert found["KR-T-02"]["votes"].points == 2 / 5
    assert found["KR-T-03"]["match"].points == 0


def test_an_answer_in_english_counts_where_the_local_language_was_asked_and_is_shown() -> None:
    found = by_unit(LOCAL, "Rice")
    assert found["KR-T-01"]["match"].points == 1
    assert found["KR-T-01"]["language"].label == "other"
    assert "language" not in found["MX-T-01"]
    assert by_unit(LOCAL, "3")["KR-T-03"]["language"].label == "no letters"


def test_what_people_could_not_answer_is_no_part_of_the_accuracy() -> None:
    benchmark, setting, items = tiny(LOCAL)
    unanswered = {item.about.unit for item in items if not item.answered}
    assert unanswered == {"NG-T-02", "NG-T-03"}
    found = by_unit(LOCAL, "ban sani ba")
    assert {unit for unit, of in found.items() if "unknown" in of} == unanswered
    assert all(found[unit]["unknown"].points == 1 and "match" not in found[unit] for unit in unanswered)
    figures = figures_of(benchmark, setting, items, Script(lambda _: "ban sani ba"))
    assert figure(figures, "accuracy").asked == len(items) - 2
    assert figure(figures, "says_unknown").value == 1


def test_peoples_own_figure_leaves_each_out() -> None:
    _, _, items = tiny(ENGLISH)
    of = {item.about.unit: leave_one_out(item) for item in items}
    # rice 4, bread 1 of five: four of five votes are shared; 4 × 3/4 and 1 × 0, over five votes
    assert of["KR-T-01"] is not None
    assert (of["KR-T-01"].accuracy, of["KR-T-01"].share) == pytest.approx((4 / 5, 3 / 5))
    assert of["KP-T-02"] is not None
    assert of["KP-T-02"].accuracy == 0


def test_a_judge_beside_says_its_own_and_how_often_it_agrees() -> None:
    protocol = catalogue.card(ENGLISH).protocol
    benchmark, setting, items = tiny(ENGLISH, roles=("subject", "judge"))

    def say(request: Request) -> str:
        return '{"reason":"So.","choice":"correct"}' if request.tag.role == "judge" else "rice"

    figures = figures_of(benchmark, setting, items, Script(say))
    assert figure(figures, "judged").value == 1
    agrees, accuracy = figure(figures, "judge_agrees"), figure(figures, "accuracy")
    assert agrees.value == accuracy.value
    assert protocol.roles == ("subject",)


@pytest.mark.parametrize("name", [LOCAL, ENGLISH])
def test_what_is_planted_in_a_language_is_known_in_that_alone(name: str) -> None:
    benchmark, setting, items = tiny(name)
    door = Open("simulated/typical:know=1,local=1,english=0,format_error=0")
    found = figure(figures_of(benchmark, setting, items, door), "accuracy", place="MX")
    assert found.value is not None
    assert (found.value == 1) == (name == LOCAL)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(TINY / "blend", tmp_path / "blend")
    return tmp_path / "blend"


def complaint(data: Path) -> str:
    benchmark = catalogue.load(LOCAL)
    with pytest.raises(InputError) as refused:
        benchmark.items(setting_of(benchmark, data))
    return str(refused.value)


def test_files_of_a_place_that_do_not_fit_are_named(copy: Path) -> None:
    questions = copy / "questions" / "Mexico_questions.csv"
    whole = questions.read_text(encoding="utf-8")
    questions.write_text(whole.replace("T-02", "T-99"), encoding="utf-8")
    assert "Mexico_data.json: 'T-02': no such ID" in complaint(copy)
    questions.write_text(whole, encoding="utf-8")
    annotations = copy / "annotations" / "Mexico_data.json"
    annotations.write_text("{", encoding="utf-8")
    assert "Mexico_data.json: not JSON" in complaint(copy)
    annotations.write_text('{"T-01": {"question": "x"}}', encoding="utf-8")
    assert "Mexico_data.json" in complaint(copy)
    questions.unlink()
    assert "Mexico_questions.csv" in complaint(copy)


def test_a_checkout_is_read_as_it_stands(tmp_path: Path) -> None:
    shutil.copytree(TINY / "blend", tmp_path / "data")
    benchmark = catalogue.load(LOCAL)
    assert len(benchmark.items(setting_of(benchmark, tmp_path))) == 15


def test_a_question_without_words_in_its_language_is_asked_in_english_alone(copy: Path) -> None:
    path = copy / "annotations" / "Mexico_data.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    whole["T-01"]["question"] = "  "
    path.write_text(json.dumps(whole), encoding="utf-8")
    local, english = catalogue.load(LOCAL), catalogue.load(ENGLISH)
    assert len(local.items(setting_of(local, copy))) == len(english.items(setting_of(english, copy))) - 1
    assert any("MX-T-01" in remark for remark in local.remarks(setting_of(local, copy)))


def checkout(folder: Path) -> Path:
    """Prompts in the released layout, in words of our own."""
    (folder / "data" / "prompts").mkdir(parents=True)
    for name, place in survey_places().items():
        rows = [
            {"id": "inst-4", "English": "Ask: {q}", "Translation": f"{name} asks: {{q}}"},
            {"id": "inst-4", "English": "Again: {q}", "Translation": "Again: {q}"},  # as in Azerbaijan's table
            {"id": "pers-1", "English": "No: {q}", "Translation": "No: {س}"},
            {"id": "pers-3", "English": f"Of {place.english}: {{q}}", "Translation": f"Of {name}, own: {{q}}"},
        ]
        with (folder / "data" / "prompts" / f"{name}_prompts.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["id", "English", "Translation"])
            writer.writeheader()
            writer.writerows(rows)
    return folder


@pytest.mark.parametrize("kind", ["instruction", "person"])
def test_released_prompts_are_read_place_by_place(tmp_path: Path, kind: str) -> None:
    folder = checkout(tmp_path)
    for name, wanted in ((LOCAL, "South_Korea"), (ENGLISH, "South Korea")):
        words = released_words([folder], [name])
        benchmark = catalogue.load(name, words)
        setting = setting_of(benchmark, TINY / "blend", settings={"prompt": kind})
        found = [item for item in benchmark.items(setting) if isinstance(item, ShortAnswerItem)]
        asked = {item.about.unit: item.render() for item in found}["KR-T-01"]
        assert asked.startswith(
            {
                (LOCAL, "instruction"): f"{wanted} asks: ", (LOCAL, "person"): f"Of {wanted}, own: ",
                (ENGLISH, "instruction"): "Ask: ", (ENGLISH, "person"): f"Of {wanted}: ",
            }[name, kind]
        )  # fmt: skip
        languages = {p.header.language for p in benchmark.prompts if isinstance(p, Prompt)}
        assert languages == (
            {"en", *(place.language for place in survey_places().values())} if name == LOCAL else {"en"}
        )


def options_of(data: Path, **changes: Any) -> list[ClosedItem]:
    benchmark = catalogue.load(CHOICES)
    return [item for item in benchmark.items(setting_of(benchmark, data, **changes)) if isinstance(item, ClosedItem)]


def test_options_are_the_answer_of_the_place_and_three_of_others_that_nobody_there_gave() -> None:
    found = {item.about.unit: item for item in options_of(TINY / "blend")}
    korea = found["mcq-KR-T-01"]
    assert korea.options[LETTERS.index(korea.gold)] == "rice"
    assert set(korea.options) == {"rice", "eggs", "bean cakes", "cereal"}
    # corn rice, of the north, shares a word with the answer; what one person said is no option, nor an answer
    assert "corn rice" not in korea.options
    assert not any(unit.endswith("KP-T-02") for unit in found)


def released_choices(folder: Path, **changes: str) -> Path:
    """Two questions in the layout of the released file, in words of our own."""
    row = {
        "MCQID": "T-01_0", "ID": "T-01", "country": "South_Korea",
        "prompt": "What is eaten in South Korea? Without any explanation, choose only one.\n\nA. egg\n\nAnswer:",
        "choices": json.dumps({"A": "egg", "B": "rice", "C": "soup", "D": "toast"}, indent=4),
        "choice_countries": json.dumps({"A": "Mexico", "B": "South_Korea", "C": "dummy", "D": "UK"}, indent=4),
        "answer_idx": "B",
    }  # fmt: skip
    path = folder / "mc_questions_file.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*row])
        writer.writeheader()
        writer.writerows([row, {**row, "MCQID": "T-01_1", **changes}])
    return path


def test_released_questions_with_options_are_read_with_line_breaks_in_their_cells(tmp_path: Path) -> None:
    path = released_choices(tmp_path)
    for data in (path, tmp_path):
        one, other = options_of(data)
        assert (one.gold, one.options) == ("b", ("egg", "rice", "soup", "toast"))
        assert one.words[0] == "What is eaten in South Korea?"
        assert one.about.cluster == other.about.cluster == "T-01"
        assert one.about.unit != other.about.unit


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"country": "Atlantis"}, "country is 'Atlantis'"), ({"answer_idx": "E"}, "answer_idx is 'E'"),
        ({"choices": "{"}, "not JSON"), ({"choices": '{"A": "x", "B": "y"}'}, "expected A, B, C and D"),
    ],
)  # fmt: skip
def test_a_question_with_options_that_cannot_be_is_refused_where_it_stands(
    tmp_path: Path, changes: dict[str, str], says: str
) -> None:
    with pytest.raises(InputError) as refused:
        options_of(released_choices(tmp_path, **changes))
    assert says in str(refused.value)
    assert "mc_questions_file.csv:" in str(refused.value)


class Thinker(Open):
    """A door that answers in the language asked in, and thinks in English."""

    def __init__(self) -> None:
        super().__init__("simulated/typical:know=1,format_error=0")

    async def ask(self, request: Request) -> Reply:
        return structs.replace(await super().ask(request), reasoning="They would eat rice, I think.")


def test_the_script_of_thinking_is_told_apart_from_that_of_the_answer() -> None:
    benchmark, setting, items = tiny(LOCAL)
    figures = figures_of(benchmark, setting, items, Thinker())
    assert figure(figures, "thinking_other_script").value == 1
    assert figure(figures, "other_script").value == 0
    plain = figures_of(benchmark, setting, items, Open("simulated/typical"))
    missing = figure(plain, "thinking_other_script").missing
    assert missing is not None
    assert missing.code == "no_thinking"


def masked(data: Path, **changes: Any) -> dict[str, str | None]:
    """The words of each item without its place, by unit; None where it is left out."""
    put = MASKED["masked"].make(setting_of(catalogue.load(LOCAL), data))
    found = ((item.about.unit, put(item)) for item in items_of(LOCAL, data, **changes))
    return {unit: each.render() if isinstance(each, ShortAnswerItem) else None for unit, each in found}


def test_a_place_gives_way_where_its_language_lets_its_name_be_replaced() -> None:
    found = masked(TINY / "blend")
    assert "¿Qué desayuna la gente en el país?" in str(found["MX-T-01"])
    assert "What does a guest in the country bring?" in str(found["GB-T-02"])
    assert {unit for unit, words in found.items() if words is None} == {
        f"{place}-T-0{number}" for place in ("KR", "KP", "NG") for number in (1, 2, 3)
    }
    person = masked(TINY / "blend", settings={"prompt": "person"})
    assert set(person.values()) == {None}  # the words around them name the place


@pytest.mark.parametrize(
    ("name", "text", "without"),
    [
        ("China", "在中国，中国人吃什么？", "在当地，当地人吃什么？"),
        (
            "Indonesia",
            "Apa makanan orang Indonesia di Indonesia?",
            "Apa makanan orang setempat di negara itu?",
        ),
        ("Iran", "ایرانی‌ها در ایران چه می‌خورند؟", "مردم محلی در آن کشور چه می‌خورند؟"),
        ("Spain", "La cocina española de España", "La cocina local del país"),
        ("West_Java", "Naon kadaharan di Jawa Barat?", "Naon kadaharan di daérah éta?"),
    ],
)
def test_a_name_gives_way_to_words_that_stand_as_it_stood(name: str, text: str, without: str) -> None:
    assert hide_place(text, survey_places()[name]) == without


PLACES = {"Algeria": "ar", "Indonesia": "id", "South_Korea": "ko", "UK": "en"}


def made(folder: Path, questions: int = 120) -> Path:
    """Data of our own in the released layout: so many questions in four places, each with an answer of its own."""
    (folder / "annotations").mkdir(parents=True)
    (folder / "questions").mkdir()
    for name, language in PLACES.items():
        names = [f"M-{number:03}" for number in range(questions)]
        annotated = {
            each: {
                "question": f"{language} {each}?",
                "en_question": f"en {each}?",
                "annotations": [
                    {"answers": [f"{language}word{each}"], "en_answers": [f"enword{each}"], "count": 1 + number % 5}
                ],
                "idks": {"idk": 0, "no-answer": 0, "not-applicable": 0},
            }
            for number, each in enumerate(names)
        }
        (folder / "annotations" / f"{name}_data.json").write_text(json.dumps(annotated), encoding="utf-8")
        rows = "".join(f"{each},{('Food', 'Sport', 'Family')[at % 3]}\n" for at, each in enumerate(names))
        (folder / "questions" / f"{name}_questions.csv").write_text(f"ID,Topic\n{rows}", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def in_both(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A run in both languages of somebody who knows .7 of it in the local language, and in Indonesia all."""
    folder = tmp_path_factory.mktemp("blend")
    somebody = "simulated/typical:know=.9,local=.7,ID.local=1,format_error=0"
    spec = Spec(benchmarks=(LOCAL, ENGLISH), models=(somebody,), data=str(made(folder / "data")))
    assert hold(folder / "run", spec)
    return read_results([folder / "run"])


def test_a_planted_difference_between_languages_is_found_within_its_interval(in_both: Results) -> None:
    accuracy, votes = language_contrasts(in_both)
    # Who does not know guesses right in one case of ten: .9 of what is known more or less stays as a difference.
    planted = {"DZ": -0.9 * 0.3 * 0.9, "ID": 0.0, "KR": -0.9 * 0.3 * 0.9}
    assert accuracy.whole.units == 360
    assert accuracy.whole.found
    assert covers(accuracy.whole, sum(planted.values()) / 3)
    of_place = {each.group.value: each for each in accuracy.families["place"]}
    assert of_place.keys() == planted.keys()
    assert all(covers(of_place[place], planted[place]) for place in planted)
    assert {place for place, each in of_place.items() if each.found} == {"DZ", "KR"}
    assert {each.group.value for each in accuracy.families["topic"]} == {"Food", "Sport", "Family"}
    assert votes.whole.difference is not None
    assert -0.2 < votes.whole.difference < 0


def covers(found: Contrast, planted: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= planted <= found.high


def test_the_section_says_the_difference_and_what_it_may_be_of(in_both: Results) -> None:
    found = analyse(in_both)
    assert found is not None
    (filled,) = found.tables
    assert len(filled.where(kind="place")) == 6
    tables = (block for block in found.blocks or () if isinstance(block, TableBlock))
    by_place = next(table for table in tables if table.columns[0].title == "Place")
    assert [row.cells[0] for row in by_place.rows] == ["Algeria", "Indonesia", "South Korea"]
    (finding,) = (each for each in found.findings if each.id == "blend.languages")
    assert "less in people's own languages than in English" in text_of(finding.words)
    assert re.fullmatch(r"95% interval \[.+\]; p .+\.", text_of(finding.sure)), "it stands beside others' in a line"


@pytest.fixture
def released(data: Path) -> Path:
    folder = data / "blend"
    if not folder.is_dir():
        pytest.skip("the data of BLEnD are not here")
    return folder


@pytest.mark.parametrize(("name", "items", "without"), [(LOCAL, 7999, 578), (ENGLISH, 8000, 578)])
def test_all_places_are_read_as_published(released: Path, name: str, items: int, without: int) -> None:
    found = items_of(name, released)
    assert len(found) == items == catalogue.card(name).items
    assert sum(not item.answered for item in found) == without
    assert set(Counter(item.about.place for item in found).values()) <= {499, 500}
    assert sum(item.top <= 1 for item in found) in {1356, 1355}
    assert all(item.render().strip() for item in found)


@pytest.mark.parametrize("name", [LOCAL, ENGLISH])
def test_all_questions_run_with_simulated_and_baseline_respondents(released: Path, name: str) -> None:
    benchmark = catalogue.load(name)
    setting = setting_of(benchmark, released)
    items = benchmark.items(setting)
    found = figure(figures_of(benchmark, setting, items, Open("simulated/typical:know=.6,format_error=0")), "accuracy")
    # known with .6, else one of ten outcomes of which one is right; people's other answers make it a little more
    assert found.value == pytest.approx(0.64, abs=0.02)
    guess = figure(figures_of(benchmark, setting, items, Open("baseline/random")), "accuracy")
    assert guess.value == pytest.approx(0.1, abs=0.015)


def test_questions_with_options_are_made_of_all_places_and_guessing_gets_a_quarter(released: Path) -> None:
    found = options_of(released)
    assert len(found) == catalogue.card(CHOICES).items
    assert len({item.about.place for item in found}) == 16
    golds = Counter(item.gold for item in found)
    assert all(count / len(found) == pytest.approx(0.25, abs=0.01) for count in golds.values())


def semeval(folder: Path, **changes: Any) -> list[ShortAnswerItem]:
    return items_of(SEMEVAL, folder, settings={"no_answer": "out", **changes})


def test_locales_that_are_no_codes_of_iso_have_their_place_and_language() -> None:
    found = {item.about.item: item for item in semeval(TINY / "blend")}
    places = {name: (item.about.place, item.language) for name, item in found.items()}
    assert places["as-AS_001"] == ("IN-AS", "as-IN")
    assert places["su-JB_001"] == ("ID-JB", "su-ID")
    assert places["en-AS_001"] == ("IN-AS", "en")
    assert places["ha-NG_001"] == ("NG", "ha-NG")
    assert found["ha-NG_001"].about.groups == {"language": "ha", "subnational": "northern Nigeria"}


def test_a_line_break_and_quotes_within_a_cell_are_no_row_of_their_own() -> None:
    found = {item.about.item: item for item in semeval(TINY / "blend")}
    assert [each.first("ko") for each in found["ko-KR_002"].accepted] == ["과일", "휴지"]
    assert [each.first("en") for each in found["en-AS_001"].accepted] == ["rice", 'the "red" tea']
    assert "eu-PV_001" not in found  # its question is not there


def test_where_no_answer_is_accepted_a_question_is_no_part_of_the_accuracy_unless_the_run_says_so() -> None:
    out = {item.about.item for item in semeval(TINY / "blend") if not item.answered}
    assert out == {"as-AS_001", "ha-NG_001"}
    kept = {item.about.item: item for item in semeval(TINY / "blend", no_answer="accepted")}
    assert all(item.answered for item in kept.values())
    assert match_answer("No answer.", kept["ha-NG_001"].accepted, ("ha",)) is not None


def test_the_published_archive_is_read_as_it_is_and_blends_questions_serve_for_its_places(tmp_path: Path) -> None:
    shutil.copytree(TINY / "blend", tmp_path / "in")
    (tmp_path / "in" / "saq_questions.tsv").unlink()
    gold = tmp_path / "in" / "final_1_saq_reference.tsv"
    with ZipFile(tmp_path / "in" / "semeval2026_task7_blend_saq_reference.zip", "w") as archive:
        archive.write(gold, "final_1_saq_reference.tsv")
        archive.writestr("__MACOSX/._final_1_saq_reference.tsv", b"\x00")
    gold.unlink()
    found = {item.about.item: item.question for item in semeval(tmp_path / "in")}
    assert found["ko-KR_002"] == "한국에서 손님은 무엇을 가져오나요?"
    assert found["en-KR_002"] == "What does a guest in South Korea bring?"
    assert "as-AS_001" not in found  # Assam is not among the small data


def test_without_questions_the_gold_asks_nothing_and_says_what_is_missing(tmp_path: Path) -> None:
    shutil.copy(TINY / "blend" / "final_1_saq_reference.tsv", tmp_path)
    with pytest.raises(InputError, match=r"saq_questions\.tsv: no such file"):
        semeval(tmp_path)


def test_one_run_of_all_locales_is_paired_by_region_and_number(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    ids = [f"{code}_{at:03}" for code in ("ar-DZ", "en-DZ", "en-GB", "ms-SG", "ta-SG", "en-SG") for at in range(1, 41)]
    answers = "".join(f"{name}\tword{number}\n" for number, name in enumerate(ids))
    (data / "final_1_saq_reference.tsv").write_text(f"id\tanswer\n{answers}", encoding="utf-8")
    questions = "".join(f"{name}\tWhat is {name}?\n" for name in ids)
    (data / "saq_questions.tsv").write_text(f"id\tquestion\n{questions}", encoding="utf-8")
    somebody = "simulated/typical:know=1,local=.5,format_error=0"
    assert hold(tmp_path / "run", Spec(benchmarks=(SEMEVAL,), models=(somebody,), data=str(data)))
    (found,) = language_contrasts(read_results([tmp_path / "run"]))
    assert found.whole.units == 40  # Algeria's: two languages beside English are spoken in Singapore
    assert covers(found.whole, -0.5 * 0.9)


def test_options_stand_in_columns_or_in_lines_of_one(tmp_path: Path) -> None:
    benchmark = catalogue.load(SEMEVAL_CHOICES)
    shutil.copy(TINY / "blend" / "final_2_mcq_reference.tsv", tmp_path)
    whole = (TINY / "blend" / "mcq_questions.tsv").read_text(encoding="utf-8")
    (tmp_path / "mcq_questions.tsv").write_text(whole, encoding="utf-8")
    lines = 'id\tquestion\tmultiple_choice_options\nko-KR_0001\tWhat?\t"eggs\nrice \ntoast\nbeans"\n'
    first = benchmark.items(setting_of(benchmark, tmp_path))[0]
    (tmp_path / "mcq_questions.tsv").write_text(lines, encoding="utf-8")
    (one,) = benchmark.items(setting_of(benchmark, tmp_path))
    assert isinstance(one, ClosedItem)
    assert isinstance(first, ClosedItem)
    assert (one.gold, one.options[1]) == (first.gold, first.options[1]) == ("b", "rice")
    (tmp_path / "mcq_questions.tsv").write_text(lines.replace("toast\n", ""), encoding="utf-8")
    with pytest.raises(InputError, match="3 options; expected four"):
        benchmark.items(setting_of(benchmark, tmp_path))


@pytest.mark.parametrize("name", [LOCAL, ENGLISH])
def test_peoples_own_first_answers_as_recorded_replies_are_all_right(released: Path, name: str, tmp_path: Path) -> None:
    items = items_of(name, released)
    lines = (
        json.dumps({"item": item.about.item, "reply": item.key().ways["right"]}, ensure_ascii=False) for item in items
    )
    (tmp_path / "replies.jsonl").write_text("\n".join(lines), encoding="utf-8")
    spec = Spec(benchmarks=(name,), models=(f"recorded/{tmp_path / 'replies.jsonl'}",), data=str(released))
    assert hold(tmp_path / "run", spec, seconds=300)
    (found,) = read_results([tmp_path / "run"]).on(name)
    accuracy, whole = found.overall("accuracy"), found.overall("accuracy_whole")
    assert accuracy is not None
    assert accuracy.graded == sum(item.answered for item in items)
    assert accuracy.value == pytest.approx(1, abs=0.001)
    assert whole is not None
    assert whole.value == pytest.approx(1, abs=0.001)


def test_a_run_takes_a_judge_where_one_is_named_and_can_be_judged_later(typed: Typed, tmp_path: Path) -> None:
    somebody = "simulated/typical:know=.8,format_error=0"
    spec = Spec(benchmarks=(ENGLISH,), models=(somebody,), data=str(TINY / "blend"))
    assert hold(tmp_path / "alone", spec)
    judge = {"judge": "simulated/judge"}
    assert hold(tmp_path / "beside", structs.replace(spec, roles=judge))
    done = typed("judge", "alone", "--judge", "simulated/judge", "--out", "later")
    assert done.returncode == 0, done.stderr
    (alone,), (beside,), (later,) = (
        read_results([tmp_path / name]).on(ENGLISH) for name in ("alone", "beside", "later")
    )
    one, other = alone.overall("judged"), beside.overall("judged")
    assert one is not None
    assert one.missing is not None
    assert one.missing.code == "no_judge"
    assert other is not None
    assert other.value is not None
    judged = later.overall("judged")
    assert judged is not None
    assert judged.value == other.value
