"""CulturalBench: topics and answers of one's own, Easy against Hard, one right answer or several."""

import csv
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mores.analysis.results import Results
from mores.benchmarks.catalogue import load
from mores.benchmarks.culturalbench.analysis import CULTURALBENCH_ANALYSIS, analyse, easy_and_hard, mode_gaps
from mores.benchmarks.culturalbench.benchmark import question_of
from mores.core.errors import InputError
from mores.core.estimate import Estimate, Missing
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Verdict
from mores.runs.loading import read_results
from mores.runs.selection import select
from mores.tables import as_data, section_of
from mores.tables import formatting as words
from tests.benchmarks.plays import TINY, Script, figures_of, setting_of
from tests.conftest import write_cultural
from tests.reports.made import Made, run_of
from tests.reports.shown import printed

SMALL = TINY / "culturalbench"


def table(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    with path.open("w", newline="") as lines:
        csv.writer(lines).writerows([head, *rows])
    return str(path)


def figures(name: str, folder: Path, say: str = "True", **settings: str) -> tuple[Estimate, ...]:
    """The figures of a subject that always says one word."""
    benchmark = load(f"culturalbench/{name}")
    setting = setting_of(benchmark, folder, settings=settings)
    return figures_of(benchmark, setting, benchmark.items(setting), Script(lambda _: say))


def by(found: Sequence[Estimate], metric: str, **group: str) -> Estimate:
    return next(each for each in found if (each.metric, each.group) == (metric, group))


def remarks(name: str, folder: Path, **settings: str) -> tuple[str, ...]:
    benchmark = load(f"culturalbench/{name}")
    return benchmark.remarks(setting_of(benchmark, folder, settings=settings))


def test_topics_of_a_file_break_figures_down_and_what_has_none_is_counted(tmp_path: Path) -> None:
    topics = table(
        tmp_path / "t.csv", ("question_idx", "topic"), [(1, "food"), (2, "visits"), (4, "food"), (9, "sport")]
    )
    found = figures("easy", SMALL, "A", topics=topics)
    assert (by(found, "accuracy", topic="food").value, by(found, "accuracy", topic="food").asked) == (1.0, 2)
    assert by(found, "accuracy", topic="visits").value == 0.0
    assert not [each for each in found if each.group == {"topic": "sport"}]
    (told,) = remarks("easy", SMALL, topics=topics)
    assert told.endswith("3 of 4 questions have one; 1 that it names are no questions of the data.")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(77, "food")], "no question_idx of it is one of the data's; expected such as '1'"),
        ([(1, "food"), (1, "work")], "question_idx '1' has the topic 'work', and 'food' before"),
    ],
)
def test_topics_that_match_nothing_or_disagree_are_refused(
    tmp_path: Path, rows: list[tuple[int, str]], message: str
) -> None:
    topics, benchmark = table(tmp_path / "t.csv", ("question_idx", "topic"), rows), load("culturalbench/hard")
    with pytest.raises(InputError, match=message):
        benchmark.items(setting_of(benchmark, SMALL, settings={"topics": topics}))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--set people=.*gone\.csv: no such file"):
        remarks("hard", SMALL, people=str(tmp_path / "gone.csv"))


@pytest.mark.parametrize(("answer", "message"), [("e", "answer is 'e'"), ("no idea", "expected letters of statements")])
def test_an_answer_that_is_no_letters_is_refused(tmp_path: Path, answer: str, message: str) -> None:
    votes = table(tmp_path / "v.csv", ("question_idx", "annotator", "answer"), [(1, "Ann", answer)])
    with pytest.raises(InputError, match=message):
        figures("easy", SMALL, people=votes)


def test_an_annotator_answers_a_question_once(tmp_path: Path) -> None:
    votes = table(tmp_path / "v.csv", ("question_idx", "annotator", "answer"), [(1, "Ann", "a"), (1, "Ann", "b")])
    with pytest.raises(InputError, match="annotator 'Ann' answers question_idx '1' twice"):
        figures("easy", SMALL, people=votes)


def test_people_are_right_where_they_name_just_the_true_statements(tmp_path: Path) -> None:
    # Easy: 1 is A, 2 is B, 3 is "i, ii" (a and b), 4 is A. Right: 1 of 2, 2 of 2, 1 of 3, none of 1.
    rows = [(1, "Ann", "a"), (1, "Ben", ""), (2, "Ann", "B"), (2, "Ben", "b"), (3, "Ann", "a, b"), (3, "Ben", "b"),
            (3, "Cai", "a|b|c"), (4, "Ann", "d")]  # fmt: skip
    votes = table(tmp_path / "v.csv", ("question_idx", "annotator", "answer"), rows)
    found = figures("easy", SMALL, "A", people=votes)
    assert by(found, "people").value == pytest.approx((1 / 2 + 1 + 1 / 3 + 0) / 4)
    assert by(found, "people", mode="multi").value == pytest.approx(1 / 3)
    # The subject says A: right on 1, 3 and 4.
    assert by(found, "less_people").value == pytest.approx((1 / 2 - 1 + 2 / 3 + 1) / 4)
    assert by(found, "people").missing == Missing(code="too_few_clusters", n=4, needed=8)


def test_each_vote_is_held_against_what_four_in_five_of_all_others_chose(tmp_path: Path) -> None:
    # 1: four say a, one b. By the others a is gold for all (three or four of four): .8 right.
    # 2: all say b and three of five c as well. By the others c is gold for the two without it (three of four), and
    # not for those with it (two of four): nobody is right, though b alone is what is true.
    rows = [(1, person, "b" if person == "Eve" else "a") for person in ("Ann", "Ben", "Cai", "Dan", "Eve")]
    rows += [(2, person, "b" if person in {"Ann", "Ben"} else "b|c") for person in ("Ann", "Ben", "Cai", "Dan", "Eve")]
    votes = table(tmp_path / "v.csv", ("question_idx", "annotator", "answer"), rows)
    found = figures("easy", SMALL, "A", people=votes)
    assert by(found, "people_left_out").value == pytest.approx((0.8 + 0) / 2)
    assert by(found, "people").value == pytest.approx((0.8 + 0.4) / 2)


def test_a_vote_without_others_is_held_against_nothing(tmp_path: Path) -> None:
    votes = table(tmp_path / "v.csv", ("question_idx", "annotator", "answer"), [(1, "Ann", "a"), (2, "Ben", "c")])
    assert not [each for each in figures("easy", SMALL, "A", people=votes) if each.metric == "people_left_out"]


def test_without_a_file_nothing_is_said_of_people() -> None:
    assert not [each for each in figures("hard", SMALL) if "people" in each.metric]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """400 questions of four countries, and votes of 40 people of whom each knows nine answers in ten."""
    folder, dice = tmp_path_factory.mktemp("many"), random.Random(3)
    write_cultural(folder, 400)
    rows = [
        (n, f"{n % 4}-{person}", "abcd"[n % 4] if dice.random() < 0.9 else "abcd"[(n + 1) % 4])
        for n in range(400) for person in dice.sample(range(10), 5)
    ]  # fmt: skip
    return folder, table(folder / "votes.csv", ("question_idx", "annotator", "answer"), rows)


@pytest.mark.parametrize("name", ["easy", "hard"])
def test_planted_knowledge_of_people_is_recovered_in_both_setups(many: tuple[Path, str], name: str) -> None:
    found = figures(name, many[0], "A" if name == "easy" else "False", people=many[1])
    people, less = by(found, "people"), by(found, "less_people")
    assert people.low is not None
    assert people.high is not None
    assert people.low <= 0.9 <= people.high
    assert people.high - people.low < 0.06
    right = 0.25 if name == "easy" else 0.0
    assert less.low is not None
    assert less.high is not None
    assert less.low <= right - 0.9 <= less.high
    assert less.p is not None
    assert less.p < 0.001


def test_the_same_votes_are_right_alike_when_options_are_shuffled(many: tuple[Path, str]) -> None:
    benchmark = load("culturalbench/easy")
    setting = setting_of(benchmark, many[0], settings={"people": many[1]}, shuffle=True)
    shuffled = figures_of(benchmark, setting, benchmark.items(setting), Script(lambda _: "A"))
    assert by(shuffled, "people") == by(figures("easy", many[0], "A", people=many[1]), "people")


def verdicts(setup: str, right: Sequence[float], several: int) -> list[Verdict]:
    """Verdicts on questions 0, 1, … of which the first have several right answers."""
    prefix = "easy" if setup == "easy" else "question"
    return [
        Graded(
            about=ItemMetadata(
                item=f"{setup}-{n}", unit=f"{prefix}-{n}", cluster=f"{prefix}-{n}", place=("JP", "NG", "BR")[n % 3],
                groups={"mode": "multi" if n < several else "single"},
            ),
            sample=0, task=task, points=each, label="a", gold="a",
        )
        for n, each in enumerate(right) for task in ("strict", "lenient")
    ]  # fmt: skip


def study(folder: Path, models: int, *, easy: float, hard: float, several: float) -> Results:
    """Models of families of their own: shares right on Easy, and on Hard where one answer is right or several."""
    dice, made = random.Random(5), []
    for n in range(models):
        known = [dice.random() < easy for _ in range(300)]
        parts = [hard / easy if place >= 100 else several / easy for place in range(300)]
        judged = [float(one and dice.random() < part) for one, part in zip(known, parts, strict=True)]
        for setup, right in (("easy", [float(each) for each in known]), ("hard", judged)):
            own: dict[str, Any] = {"facts": {"family": f"f{n}"}}
            made.append(
                Made(model=f"x/m{n}", benchmark=f"culturalbench/{setup}", verdicts=verdicts(setup, right, 100),
                     figures={"accuracy": sum(right) / 300}, also=own)
            )  # fmt: skip
    return read_results([run_of(folder, *made)])


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Six models: .8 on Easy, on Hard .6 where one answer is right and .4 where several are."""
    return study(tmp_path_factory.mktemp("setups") / "run", 6, easy=0.8, hard=0.6, several=0.4)


def test_a_limit_draws_the_same_questions_for_both_setups(many: tuple[Path, str]) -> None:
    drawn = []
    for name in ("easy", "hard"):
        benchmark = load(f"culturalbench/{name}")
        items = benchmark.items(setting_of(benchmark, many[0]))
        kept = select(items, places=(), limit=30, seed=Seed("run").child(benchmark.card.draw))
        drawn.append({question_of(item.about.unit) for item in kept})
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 30


def test_hard_less_easy_is_paired_by_the_number_of_the_question(planted: Results) -> None:
    found = easy_and_hard(planted)
    assert found is not None
    true = (0.6 * 200 + 0.4 * 100) / 300 - 0.8
    held = 0
    for each in found.rows:
        assert each.contrast.low is not None
        assert each.contrast.high is not None
        held += each.contrast.low <= true <= each.contrast.high
        assert (each.contrast.units, each.contrast.test, each.hard_alone) == (300, "McNemar exact", 0.0)
        assert each.easy_alone == pytest.approx(-(each.contrast.difference or 0))
        assert each.contrast.family == 6
    assert held >= 5
    assert found.mean is not None
    assert found.mean.low is not None
    assert found.mean.high is not None
    assert found.mean.low <= true <= found.mean.high


def test_a_planted_gap_between_modes_is_recovered_for_each_model_and_over_models(planted: Results) -> None:
    found = analyse(planted)
    assert found is not None
    rows = as_data(found)
    means = {row["benchmark"]: row for row in rows["culturalbench_modes_mean"]}
    hard, easy = means["culturalbench/hard"], means["culturalbench/easy"]
    assert hard["low"] <= 0.2 <= hard["high"]
    assert easy["low"] <= 0.0 <= easy["high"]
    own = [row for row in rows["culturalbench_modes"] if row["benchmark"] == "culturalbench/hard"]
    assert sum(row["low"] <= 0.2 <= row["high"] for row in own) >= 5
    assert all(row["units"] == 300 for row in own)
    assert [row["single"] - row["multi"] for row in own] == pytest.approx([row["gap"] for row in own])


def test_one_model_has_its_own_figures_and_no_mean(tmp_path: Path) -> None:
    found = study(tmp_path / "run", 1, easy=0.8, hard=0.6, several=0.4)
    both, gaps = easy_and_hard(found), mode_gaps(found.on("culturalbench/hard"), None)
    assert both is not None
    assert both.mean is None
    assert gaps is not None
    assert (len(gaps.rows), gaps.mean) == (1, None)


def test_too_few_families_of_models_have_a_mean_without_an_interval(tmp_path: Path) -> None:
    both = easy_and_hard(study(tmp_path / "run", 3, easy=0.8, hard=0.6, several=0.4))
    assert both is not None
    assert both.mean is not None
    assert both.mean.value is not None
    assert both.mean.missing == Missing(code="too_few_families", n=3, needed=5)


def test_the_section_reads_well(planted: Results) -> None:
    found = analyse(planted)
    assert found is not None
    section = section_of(CULTURALBENCH_ANALYSIS, found)
    lines = " ".join(" ".join(printed(section)).split())
    assert "Mean over One right Several right Gap, points Questions 6 models 63.2% 40.7%" in lines
    assert [finding.words for finding in section.findings] == [
        "Models get less on Hard than on Easy.",
        "Models get less where several answers are right than where one is, on culturalbench/hard.",
    ]
    assert words.text_of(section.findings[0].sure).endswith(" points, for other models and questions.")
