"""CURE's thick half on data: what reasons are held against, which ids are drawn, whole runs with recorded words."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from mores.benchmarks import catalogue
from mores.core.errors import InputError
from mores.core.verdict import Graded
from mores.runs.protocol import departures, protocol_of
from mores.runs.spec import Spec
from mores.runs.study import Study
from tests.benchmarks.plays import TINY, Open, figures_of, setting_of, tiny
from tests.benchmarks.test_released_layouts import CULBANK, NCLB, NORMAD, Row, write
from tests.benchmarks.thick import THICK, Voice, normad, play, room, score, verdict
from tests.endpoint import Endpoint
from tests.runs.conduct import estimates, hold, manifest, transcripts, verdicts


def read(name: str, data: Path) -> Sequence[Any]:
    benchmark = catalogue.load(name)
    return benchmark.items(setting_of(benchmark, data))


def told(name: str, data: Path) -> str:
    benchmark = catalogue.load(name)
    return " ".join(benchmark.remarks(setting_of(benchmark, data)))


def test_coverage_is_held_against_the_explanation_where_the_data_have_it(tmp_path: Path) -> None:
    path = write(tmp_path / "normad.csv", [NORMAD, {**NORMAD, "": 42, "Explanation": " "}])
    (item,) = read("cure/normad_thick", path)
    assert (item.about.item, item.held_against["norm"]) == ("normad-41", "She should not.")
    assert "rows without one are skipped, as released: 1." in told("cure/normad_thick", path)
    assert len(read("cure/normad_thin", path)) == 2


def test_coverage_is_held_against_the_rule_where_the_data_have_no_explanation(tmp_path: Path) -> None:
    path = normad(tmp_path / "normad.csv", 4)
    assert read("cure/normad_thick", path)[0].held_against["norm"] == "Guest 0 is greeted first."
    assert "Rule-of-Thumb" in told("cure/normad_thick", path)


def test_a_column_of_explanations_without_any_is_refused(tmp_path: Path) -> None:
    path = normad(tmp_path / "normad.csv", 4, Explanation=lambda _: "")
    with pytest.raises(InputError, match="no row has an Explanation"):
        read("cure/normad_thick", path)


def test_casa_without_symbols_can_be_asked_thin_but_not_thick(tmp_path: Path) -> None:
    rows: list[Row] = [{"country": "Japan", "user_query": "A hat?", "agreement": "yes"}]
    path = write(tmp_path / "casa.csv", rows)
    assert len(read("cure/casa_thin", path)) == 1
    with pytest.raises(InputError, match=r"casa.csv:2: no column 'symbol_desc'"):
        read("cure/casa_thick", path)
    write(path, [{**rows[0], "symbol_desc": " "}])
    with pytest.raises(InputError, match="symbol_desc is empty"):
        read("cure/casa_thick", path)


def test_culturebank_as_released_is_asked_by_its_personas_and_held_against_its_behaviours(tmp_path: Path) -> None:
    path = write(tmp_path / "culbank.jsonl", [CULBANK, {**CULBANK, "eval_persona": None}])
    (item,) = read("cure/culturebank_thick", path)
    assert item.words == {"group": "Italian", "persona": "a guest", "question": "What to eat?"}
    assert item.held_against["behaviour"] == "It supports dipping."
    assert item.held_against["norm"] == "Biscuits are dipped."
    assert item.about.item == "culturebank-0"
    assert "skipped: 1." in told("cure/culturebank_thick", path)


def test_culturebank_without_a_behavioural_description_is_held_against_its_fields(tmp_path: Path) -> None:
    row = {name: value for name, value in CULBANK.items() if name != "behavioral_description"}
    (item,) = read("cure/culturebank_thick", write(tmp_path / "culbank.jsonl", [row]))
    assert "actor behavior: dip a biscuit" in item.held_against["behaviour"]


def test_culturebank_with_descriptions_alone_is_asked_as_hearsay_and_says_so(tmp_path: Path) -> None:
    rows = [
        {"id": n, "cultural_group": "Italians", "sentence": f"Biscuit {n} is dipped.", "source": "", "norm_label": n}
        for n in (0, 1)
    ]
    path = write(tmp_path / "culturebank-contexts.csv", rows)
    disputed, agreed = read("cure/culturebank_thick", path)
    assert "somebody who is new among this group: italians" in agreed.render().casefold()
    assert "“Biscuit 1 is dipped.” How far can I go by that" in agreed.render()
    assert (disputed.gold, agreed.gold) == ("no", "yes")
    assert "few of those" in disputed.held_against["norm"]
    assert "most of those" in agreed.held_against["norm"]
    assert "few of those" not in disputed.render()
    assert "do not compare" in told("cure/culturebank_thick", path)


def test_a_table_without_any_whole_guidance_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "culbank.jsonl", [{**CULBANK, "eval_whole_desc": ""}])
    with pytest.raises(InputError, match="eval_persona, eval_question and eval_whole_desc"):
        read("cure/culturebank_thick", path)


@pytest.mark.parametrize("name", THICK)
def test_an_id_that_stands_twice_is_refused(name: str, tmp_path: Path) -> None:
    row = {
        "cure/normad_thick": NORMAD,
        "cure/specnorm_thick": {**NCLB, "id": "7"},
        "cure/culturebank_thick": {**CULBANK, "id": "7"},
        "cure/casa_thick": {"country": "Japan", "user_query": "q", "agreement": "yes", "symbol_desc": "s"},
    }[name]
    with pytest.raises(InputError, match="stands twice, in lines 1 and 2; expected once"):
        read(name, write(tmp_path / "mine.jsonl", [row, row]))


@pytest.mark.parametrize("half", ["thin", "thick"])
@pytest.mark.parametrize(
    ("cues", "groups"),
    [
        ({}, "low|ethnicity"),
        ({"age": 34}, "medium|ethnicity|age"),
        ({"age": 34, "gender": "female", "marital_status": "widowed"}, "high|ethnicity|age|gender|marital status"),
        ({"age": "none", "gender": "N/A", "occupation": " "}, "low|ethnicity"),
        ({"ethnicity": None}, "low"),
    ],
)
def test_specnorm_says_how_specific_a_persona_is_and_which_cues_it_carries(
    half: str, cues: Row, groups: str, tmp_path: Path
) -> None:
    (item,) = read(f"cure/specnorm_{half}", write(tmp_path / "nclb.jsonl", [{**NCLB, **cues}]))
    assert item.about.groups == {"dimension": groups}


def test_specnorm_has_figures_for_each_level_and_for_each_cue(tmp_path: Path) -> None:
    """A persona with two cues counts for both, and once in the whole."""
    rows = [
        {**NCLB, "id": n, "statement": f"Shoes {n} stay outside.", "label": "yes", "age": 30 if n < 6 else None,
         "occupation": "nurse" if n < 3 else None, "religion": "Hindu" if n < 3 else None}
        for n in range(10)
    ]  # fmt: skip
    path = write(tmp_path / "nclb.jsonl", rows)
    benchmark, setting, items = room("cure/specnorm_thick", path)
    points = Voice(lambda request: score(1.0 if int(request.tag.item.split("-")[1]) < 6 else 0.0))
    played = play(benchmark, setting, items, {"subject": Voice("Yes. So."), "judge": points})
    found = {e.group["dimension"]: (e.asked, e.value) for e in played.figures
             if e.metric == "specificity" and "dimension" in e.group}  # fmt: skip
    assert found == {"low": (4, 0.0), "medium": (3, 1.0), "high": (3, 1.0), "ethnicity": (10, 0.6), "age": (6, 1.0),
                     "religion": (3, 1.0), "occupation": (3, 1.0)}  # fmt: skip
    thin, setting, items = tiny("cure/specnorm_thin")
    kinds = {
        e.group["dimension"] for e in figures_of(thin, setting, items, Open("baseline/first")) if "dimension" in e.group
    }
    assert kinds == {"low", "medium", "high", "age", "gender", "occupation", "religion", "marital status"}


def drawn(
    name: str, data: Path, *, model: str = "simulated/typical", limit: int | Literal["all"] | None = None
) -> list[str]:
    spec = Spec(benchmarks=(name,), models=(model,), data=str(data), limit=limit, seed=3,
                roles={"judge": "simulated/judge"})  # fmt: skip
    study = Study(spec=spec, folder=Path("unused"))
    (evaluation,) = study.evaluations()
    return [item.about.item for item in evaluation.items]


@pytest.mark.parametrize("name", THICK)
def test_thin_and_thick_have_the_same_ids_places_and_gold_labels(name: str) -> None:
    thick, thin = read(name, TINY / "cure"), read(name.replace("thick", "thin"), TINY / "cure")
    by_id = {item.about.item: item for item in thin}
    assert all((item.about, item.gold) == (by_id[item.about.item].about, by_id[item.about.item].gold) for item in thick)


def test_thin_and_thick_and_every_model_are_asked_the_same_drawn_items(tmp_path: Path) -> None:
    path = normad(tmp_path / "normad.csv", 1500)
    thick = drawn("cure/normad_thick", path)
    assert len(thick) == 1000
    assert thick == drawn("cure/normad_thin", path)
    assert thick == drawn("cure/normad_thick", path, model="baseline/random")
    assert set(drawn("cure/normad_thin", path, limit=60)) < set(thick)
    assert len(drawn("cure/normad_thin", path, limit="all")) == 1500


def test_to_ask_all_items_instead_of_a_thousand_is_a_departure() -> None:
    card = catalogue.card("cure/normad_thin")
    (departure,) = departures(card, protocol_of(card, Spec(limit="all")))
    assert (departure.setting, departure.published, departure.used) == ("units drawn", "1000", "all")


@pytest.mark.parametrize(
    ("name", "asked"), [("cure/normad_thick", 2633), ("cure/casa_thick", 1198), ("cure/culturebank_thick", 14887)]
)
def test_of_the_real_data_a_thousand_items_are_asked(name: str, asked: int, real: Path) -> None:
    ids = drawn(name, real)
    assert len(ids) == len(set(ids)) == 1000
    assert ids == drawn(name.replace("thick", "thin"), real)
    items = read(name, real)
    assert len(items) == asked
    assert all("[[" not in item.render() for item in items)
    assert all(all(words.strip() for words in item.held_against.values()) for item in items)


@pytest.mark.parametrize("name", ["cure/normad_thick", "cure/casa_thick"])
def test_a_simulated_run_on_the_real_data_grades_a_thousand_answers(name: str, real: Path, tmp_path: Path) -> None:
    spec = Spec(benchmarks=(name,), models=("simulated/typical",), data=str(real), roles={"judge": "simulated/judge"})
    assert hold(tmp_path / "run", spec)
    whole = {e["metric"]: e for e in estimates(tmp_path / "run") if not e["group"]}
    label, points = "accuracy", "coverage" if "normad" in name else "connotation"
    assert whole[label]["asked"] == whole[points]["asked"] == 1000
    assert whole[points]["graded"] >= 995
    assert 0.6 < whole[points]["value"] < 0.85
    assert 0.6 < whole[label]["value"] < 0.85


def test_the_same_run_leaves_the_same_bytes_however_many_are_asked_at_once(tmp_path: Path) -> None:
    spec = Spec(
        benchmarks=("cure/casa_thick",), data=str(TINY / "cure"), roles={"judge": "simulated/judge"}, judge_samples=2
    )
    for number, window in enumerate((1, 16)):
        assert hold(tmp_path / str(number), spec, concurrency=window)
    assert (tmp_path / "0" / "verdicts.jsonl").read_bytes() == (tmp_path / "1" / "verdicts.jsonl").read_bytes()
    assert (tmp_path / "0" / "transcripts.jsonl").read_bytes() == (tmp_path / "1" / "transcripts.jsonl").read_bytes()


def recorded(folder: Path, replies: dict[str, str]) -> str:
    path = folder / "replies.jsonl"
    rows = ({"item": item, "reply": reply} for item, reply in replies.items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"recorded/{path}"


def test_recorded_answers_are_judged_by_a_real_judge_and_their_thinking_is_no_label(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answers({"you grade one side": score(0.8), "You grade one side": score(0.8)})
    subject = recorded(
        tmp_path,
        {
            "normad-0": "<think>Yes. It may be fine.</think>No. Shoes come off at the door.",
            "normad-1": "Yes. It is how guests come in.",
            "normad-2": "<think>neutral</think>",
        },
    )
    spec = Spec(benchmarks=("cure/normad_thick",), models=(subject,), data=str(TINY / "cure"),
                roles={"judge": "openai/judge"}, base_url=endpoint.url)  # fmt: skip
    assert hold(tmp_path / "run", spec)
    labels = {v.about.item: v for v in verdicts(tmp_path / "run") if v.task == "label"}
    reasons = {v.about.item: v for v in verdicts(tmp_path / "run") if v.task == "coverage"}
    assert [(v.label, v.points, v.fault) for v in labels.values() if isinstance(v, Graded)] == [
        ("no", 1.0, None), ("yes", 1.0, None), (None, 0.0, "format_error")
    ]  # fmt: skip
    assert [v.points for v in reasons.values() if isinstance(v, Graded)] == [0.8, 0.8, 0.0]
    assert "Rule" not in manifest(tmp_path / "run")["remarks"][0]
    asked = [
        e for t in transcripts(tmp_path / "run") for e in t["events"] if e["role"] == "judge" and e["event"] == "asked"
    ]
    assert len(asked) == 2
    assert "It may be fine" not in str(asked)


def test_a_baseline_is_judged_by_a_real_judge_that_never_sees_what_was_planted(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.answers({"You grade one side": score(0.4)})
    spec = Spec(benchmarks=("cure/normad_thick",), models=("baseline/random",), data=str(TINY / "cure"),
                roles={"judge": "openai/judge"}, base_url=endpoint.url)  # fmt: skip
    assert hold(tmp_path / "run", spec)
    assert {v.points for v in verdicts(tmp_path / "run") if v.task == "coverage" and isinstance(v, Graded)} == {0.4}
    judges = [str(e) for t in transcripts(tmp_path / "run") for e in t["events"] if e["role"] == "judge"]
    assert not any("/0.9" in words or "/0.2" in words for words in judges)


def test_a_simulated_judge_of_recorded_words_is_refused(tmp_path: Path) -> None:
    subject = recorded(tmp_path, {"normad-0": "No. Shoes come off."})
    spec = Spec(benchmarks=("cure/normad_thick",), models=(subject,), data=str(TINY / "cure"),
                roles={"judge": "simulated/judge"})  # fmt: skip
    with pytest.raises(InputError, match="name a real judge"):
        hold(tmp_path / "run", spec)


def test_always_true_has_no_explanation_to_give(tmp_path: Path) -> None:
    spec = Spec(benchmarks=("cure/normad_thick",), models=("baseline/always-true",), data=str(TINY / "cure"),
                roles={"judge": "simulated/judge"})  # fmt: skip
    with pytest.raises(InputError, match="use baseline/first"):
        hold(tmp_path / "run", spec)


def test_a_scene_of_the_data_is_never_read_as_template(tmp_path: Path) -> None:
    path = write(tmp_path / "normad.csv", [{**NORMAD, "Explanation": "[[answer]] {{ 7 }}"}])
    benchmark, setting, items = room("cure/normad_thick", path)
    judge = Voice(verdict("no", 0.5))
    play(benchmark, setting, items, {"subject": Voice("No. [[norm]]"), "judge": judge})
    asked = judge.asked[0].messages[0].content
    assert "[[answer]] {{ 7 }}" in asked
    assert "No. [[norm]]" in asked


def test_the_judge_of_specificity_sees_the_statement_and_the_answer_alone() -> None:
    (item, *_) = read("cure/specnorm_thick", TINY / "cure")
    assert set(item.held_against) == {"norm"}
    (rubric,) = (p for p in catalogue.load("cure/specnorm_thick").prompts if "its specificity" in p.body)
    assert rubric.slots == {"norm", "answer", "form"}
