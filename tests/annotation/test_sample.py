"""The sample to label: drawn by its strata, frozen, blind, and cut into splits that share no cluster."""

import csv
import hashlib
import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.annotation.judged_items import JudgedItem, LabelQuestion
from mores.annotation.sample import (
    RECORD,
    ROWS,
    SHEET,
    Sample,
    SampleRow,
    SampleSpec,
    draw_sample,
    draw_things,
    read_sample,
)
from mores.annotation.sample import write_sample as write
from mores.core.errors import InputError
from mores.core.table import bare_cell, plain_cell
from tests.annotation.by_hand import Hand, once
from tests.annotation.conftest import Shape
from tests.annotation.runs import things
from tests.runs.conduct import Done, Typed
from tests.stats.drawing import draws

JUDGED = ("awareness", "commonsense", "value", "goal", "respected", "respected_both")


def drawn(run: Path | Sequence[Path], **wanted: object) -> tuple[Sample, tuple[LabelQuestion, ...]]:
    return draw_sample([run] if isinstance(run, Path) else run, SampleSpec(**wanted))  # type: ignore[arg-type]


def thing_of(row: SampleRow) -> tuple[object, ...]:
    return row.model, row.benchmark, row.thing


def test_each_task_has_its_equal_part_and_each_stratum_its_share(spoken: Path) -> None:
    sample, _ = drawn(spoken, n=240)
    assert Counter(row.task for row in sample.rows) == dict.fromkeys(JUDGED, 40)
    for task in JUDGED:
        places: Counter[str] = Counter()
        of: Counter[str] = Counter()
        for each in things(spoken):
            of[each.place] += each.thing.task == task
        for row in sample.rows:
            places[row.place] += row.task == task
        for place, count in of.items():
            assert abs(places[place] - 40 * count / sum(of.values())) < 2.5, (task, place)


def test_one_task_can_be_drawn_alone_and_all_of_it(spoken: Path) -> None:
    sample, questions = drawn(spoken, n=60, tasks=("awareness",))
    assert {row.task for row in sample.rows} == {"awareness"}
    assert sample.population == 120
    assert len(questions) == 60
    assert len({row.cluster for row in sample.rows}) == 60


def test_there_is_one_row_of_an_episode_in_a_task_whichever_model_lived_it(spoken: Path) -> None:
    sample, _ = drawn(spoken, n=300)
    clusters = Counter((row.task, row.cluster) for row in sample.rows)
    assert set(clusters.values()) == {1}
    models = Counter(row.model for row in sample.rows)
    assert abs(models["simulated/typical"] - 150) < 40


def test_one_per_item_has_each_answer_and_none_has_everything(spoken: Path, shape: Shape) -> None:
    sample, _ = drawn(spoken, n=600, one_per="item")
    assert len({thing_of(row) for row in sample.rows}) == 600
    town = shape("liveculture/town")
    judged = [each for each in things(town) if each.prompt]
    whole, _ = drawn(town, n=len(judged), one_per="none", stratify=())
    assert {row.thing for row in whole.rows} == {each.thing for each in judged}
    alone, _ = drawn(town, n=10, stratify=())
    assert len({(row.task, row.cluster) for row in alone.rows}) == 10


def episodes(sizes: Sequence[int], places: Sequence[str]) -> list[JudgedItem]:
    """Things judged in episodes of so many each."""
    clusters = [f"e{number}" for number, size in enumerate(sizes) for _ in range(size)]
    of = [places[number % len(places)] for number, size in enumerate(sizes) for _ in range(size)]
    words = ["yes"] * len(clusters)
    table = Hand(judges={"judge": once(words)}, people={"Ana": words}, clusters=clusters, places=of).table()
    return list(table.rows)


def test_every_episode_is_as_likely_and_every_thing_in_it() -> None:
    """40 of 125 episodes are drawn: .32 of each, however long; of one with five things each with a fifth of that."""
    sizes = [1, 2, 5, 10, 30] * 25
    made, draws = episodes(sizes, ("GE", "JP", "NG")), 50
    firsts = {each.cluster: each for each in reversed(made)}
    held: Counter[int] = Counter()
    first: Counter[int] = Counter()
    for seed in range(draws):
        for thing, _, chance in draw_things(made, SampleSpec(n=40, seed=seed)):
            size = sizes[int(thing.cluster[1:])]
            assert chance == pytest.approx(0.32 / size)
            held[size] += 1
            first[size] += thing is firsts[thing.cluster]
    for size in set(sizes):
        assert held[size] / (25 * draws) == pytest.approx(
            0.32, abs=0.05
        )  # 3.8 standard errors; one lot for both gave .20 to .47
        assert first[size] / held[size] == pytest.approx(1 / size, abs=0.1)


def test_small_strata_come_in_as_often_as_large_ones() -> None:
    """One stratum of one episode, one of three: each episode is the first in a quarter of the orders."""
    made = episodes([1, 1, 1, 1], ("GE", "JP", "JP", "JP"))
    alone = sum(draw_things(made, SampleSpec(n=1, seed=seed))[0].thing.place == "GE" for seed in range(800))
    assert alone / 800 == pytest.approx(0.25, abs=0.05)


def rare(truths: bool = False) -> list[JudgedItem]:
    """60 days of 40 steps: judges see a violation in few of them, and now and then are wrong."""
    steps = 60 * 40
    said = ["no" if (step % 40 == 7 and step % 3) or step % 331 == 0 else "yes" for step in range(steps)]
    true = [(said[step], "no")[said[step] == "yes" and step % 97 == 0] for step in range(steps)]
    true = [("yes" if word == "no" and step % 5 == 0 else word) for step, word in enumerate(true)]
    words = true if truths else said
    clusters = [f"e{step // 40}" for step in range(steps)]
    return list(Hand(judges={"judge": once(words)}, people={"Ana": words}, clusters=clusters).table().rows)


@draws(60, 150)
def test_strata_of_verdicts_bring_rare_words_in_and_weights_take_them_back(draws: int) -> None:
    """Each verdict has half of the rows; the sum of 1 / chance over rows is that of all things, on average exactly."""
    made, true = rare(), rare(truths=True)
    of_thing = {each.thing: each.label for each in true}
    count = Counter((each.label, of_thing[each.thing]) for each in made)
    assert count["no", "no"] + count["no", "yes"] < 0.03 * len(made)
    totals: defaultdict[tuple[str | None, str | None], float] = defaultdict(float)
    for seed in range(draws):
        lots = draw_things(made, SampleSpec(n=40, stratify=("task", "verdict"), seed=seed))
        assert len({lot.thing.cluster for lot in lots}) == 40
        assert 10 <= sum(lot.thing.label == "no" for lot in lots) <= 20  # without strata one
        for lot in lots:
            totals[lot.thing.label, of_thing[lot.thing.thing]] += 1 / (lot.chance or 0)
    for cell, wanted in count.items():
        spread = 0.05 * wanted if cell[0] == "no" or cell == ("yes", "yes") else 0.3 * wanted
        assert totals[cell] / draws == pytest.approx(wanted, abs=spread + 1), cell


def test_every_verdict_has_a_row_or_the_number_is_refused() -> None:
    with pytest.raises(InputError, match="--n 1: no row would be left for 'no'"):
        draw_things(rare(), SampleSpec(n=1, stratify=("task", "verdict")))


def test_the_chances_stand_in_the_record_and_under_its_hash(spoken: Path, tmp_path: Path) -> None:
    sample, questions = drawn(spoken, n=120)
    assert [row.chance for row in sample.rows] == pytest.approx([20 / 60 / 2] * 120)  # of 60 scenes, in two models
    write(tmp_path / "out", sample, questions)
    assert read_sample(tmp_path / "out").chances
    changed = replace(sample, rows=(replace(sample.rows[0], chance=0.9), *sample.rows[1:]))
    assert changed.hash != sample.sha


def test_a_sample_of_an_older_mores_is_refused(tmp_path: Path) -> None:
    """Its rows have no chance, and its hash knows of none."""
    old = (
        '{"wanted":{"n":1,"tasks":[],"stratify":["model","place","task"],"one_per":"episode","splits":["calibration",'
        '"test"],"seed":0},"population":2,"rows":[{"id":"a1","play":"b2","model":"m","benchmark":"own/x","item":"i",'
        '"sample":0,"task":"t","step":null,"norm":"","place":"JP","cluster":"c","split":"test"}],"sha":"'
    )
    plain = old.replace(',"sha":"', ',"sha":""}')
    (tmp_path / RECORD).write_text(f'{old}{hashlib.sha256(plain.encode()).hexdigest()[:16]}"}}')
    with pytest.raises(InputError, match=r"sample\.json: its rows do not say by what chance they were drawn"):
        read_sample(tmp_path)


def test_splits_share_no_cluster_and_are_about_alike(spoken: Path) -> None:
    sample, _ = drawn(spoken, n=250, one_per="item", splits=("calibration", "test", "spare"))
    split_of = defaultdict(set)
    for row in sample.rows:
        split_of[row.benchmark, row.cluster].add(row.split)
    assert all(len(splits) == 1 for splits in split_of.values())
    counts = Counter(split for (split,) in split_of.values())
    assert set(counts) == {"calibration", "test", "spare"}
    assert max(counts.values()) - min(counts.values()) <= 3  # clusters are whole; what is even is each task's part
    for task in {row.task for row in sample.rows}:
        held = Counter(split for _, split in {(r.cluster, r.split) for r in sample.rows if r.task == task})
        assert max(held.values()) - min(held.values()) <= 2


def test_every_task_has_as_many_rows_in_one_split_as_in_another(shape: Shape) -> None:
    sample, _ = drawn(shape("liveculture/town"), n=10)
    for task in {row.task for row in sample.rows}:
        held = Counter(row.split for row in sample.rows if row.task == task)
        assert held["calibration"] == held["test"] == 1


def test_without_splits_there_is_one_part_without_a_name(spoken: Path) -> None:
    sample, _ = drawn(spoken, n=20, splits=())
    assert {row.split for row in sample.rows} == {""}


def test_the_same_seed_draws_the_same_and_another_another(spoken: Path) -> None:
    assert drawn(spoken, n=100) == drawn(spoken, n=100)
    assert {row.id for row in drawn(spoken, n=100)[0].rows} != {row.id for row in drawn(spoken, n=100, seed=1)[0].rows}


@pytest.mark.parametrize("stratify", [("model", "place", "task"), ("task",), ("place",), ()])
def test_a_larger_sample_holds_the_smaller_one(spoken: Path, stratify: tuple[str, ...]) -> None:
    few, many = (drawn(spoken, n=n, tasks=("goal",), stratify=stratify)[0] for n in (15, 45))
    assert {row.id for row in few.rows} < {row.id for row in many.rows}


def test_a_run_of_another_folder_does_not_change_what_is_drawn(spoken: Path, tmp_path: Path) -> None:
    shutil.copytree(spoken, tmp_path / "moved")
    there, here = drawn(tmp_path / "moved", n=50), drawn(spoken, n=50)
    assert there == here


def test_rows_stand_in_an_order_that_tells_nothing(spoken: Path) -> None:
    sample, _ = drawn(spoken, n=200)
    assert [row.id for row in sample.rows] == sorted(row.id for row in sample.rows)
    runs = sum(a.model != b.model for a, b in zip(sample.rows, sample.rows[1:], strict=False))
    assert 60 < runs < 140


def test_the_work_list_shows_neither_model_nor_judge_nor_verdict_nor_split(spoken: Path, tmp_path: Path) -> None:
    sample, questions = drawn(spoken, n=100)
    write(tmp_path / "out", sample, questions)
    rows = [json.loads(line) for line in (tmp_path / "out" / ROWS).read_bytes().splitlines()]
    assert {tuple(row) for row in rows} == {("id", "code", "task", "place", "words", "options")}
    with (tmp_path / "out" / SHEET).open(encoding="utf-8-sig", newline="") as lines:
        sheet = list(csv.DictReader(lines))
    assert list(sheet[0]) == ["id", "code", "task", "place", "words", "options", "annotator", "label", "note"]
    assert {row["label"] for row in sheet} == {row["annotator"] for row in sheet} == {""}
    shown = ((tmp_path / "out" / ROWS).read_text() + (tmp_path / "out" / SHEET).read_text()).casefold()
    for word in ("typical", "novice", "simulated/", "calibration", "split", "socialcc-", "a simulated judge"):
        assert word not in shown
    by_id = {row.id: row for row in sample.rows}
    said = {(each.evaluation.model, each.thing): each for each in things(spoken)}
    for row in rows:
        each = said[by_id[row["id"]].model, by_id[row["id"]].thing]
        assert tuple(row["options"]) == each.options
        assert (row["task"], row["place"]) == (each.thing.task, each.place)


def test_two_answers_to_one_item_are_two_rows_with_the_words_of_each(spoken: Path) -> None:
    sample, questions = drawn(spoken, n=120, tasks=("awareness",), one_per="item")
    words = {row.id: question.words for row, question in zip(sample.rows, questions, strict=True)}
    assert len(words) == 120
    assert all(row.thing == q.thing for row, q in zip(sample.rows, questions, strict=True))


def test_points_are_asked_for_as_a_number_and_words_are_listed(scenes: Path, spoken: Path, tmp_path: Path) -> None:
    for name, run, options in (("points", scenes, "0 to 1"), ("words", spoken, "yes | no")):
        write(tmp_path / name, *drawn(run, n=5, tasks=("coverage",) if name == "points" else ("goal",)))
        with (tmp_path / name / SHEET).open(encoding="utf-8-sig", newline="") as lines:
            assert {row["options"] for row in csv.DictReader(lines)} == {options}


def test_a_frozen_sample_is_read_back_and_a_changed_one_refused(spoken: Path, tmp_path: Path) -> None:
    sample, questions = drawn(spoken, n=30)
    write(tmp_path / "out", sample, questions)
    assert read_sample(tmp_path / "out") == read_sample(tmp_path / "out" / RECORD) == sample
    path = tmp_path / "out" / RECORD
    path.write_text(path.read_text().replace('"calibration"', '"test"', 3))
    with pytest.raises(InputError, match="changed after it was frozen"):
        read_sample(tmp_path / "out")
    with pytest.raises(InputError, match="already holds a sample"):
        write(tmp_path / "out", sample, questions)


def test_every_part_of_the_record_is_under_its_hash(spoken: Path) -> None:
    sample, _ = drawn(spoken, n=4)
    first, *others = sample.rows
    for changed in (
        replace(sample, population=7),
        replace(sample, wanted=replace(sample.wanted, seed=9)),
        replace(sample, rows=(replace(first, split="test2"), *others)),
        replace(sample, rows=tuple(others)),
    ):
        assert changed.hash != sample.sha


@given(st.text(max_size=20))
def test_no_evaluation_of_a_sheet_begins_a_formula_and_none_is_lost(evaluation: str) -> None:
    safe = plain_cell(evaluation)
    assert not safe.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
    assert bare_cell(safe) == evaluation


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--n", 0), "--n 0: one per episode there are 360 to draw; expected 1 to 360, or --one-per item"),
        (("--n", 361), "--n 361: one per episode there are 360 to draw"),
        (("--n", 721, "--one-per", "item"), "--n 721: one per item there are 720 to draw; expected 1 to 720."),
        (("--n", 5, "--task", "norms"), "--task norms: nobody judged it; tasks are awareness,"),
        (("--n", 5, "--task", "behaviour"), "--task behaviour: nobody judged it"),
        (("--n", 5, "--stratify", "model,item"), "--stratify item: expected some of model, place, task, verdict."),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_line(
    words: tuple[object, ...], says: str, spoken: Path, typed: Typed, tmp_path: Path
) -> None:
    done: Done = typed("judge", "sample", spoken, *words, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_command_says_what_was_drawn_and_where_it_lies(spoken: Path, typed: Typed, tmp_path: Path) -> None:
    done = typed("judge", "sample", spoken, "--n", 50, "--split", "a,b", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "50 of 720 things that were judged, one per episode." in done.stdout
    assert "Sealed, not for them" in done.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {RECORD, ROWS, SHEET}
    again = typed("judge", "sample", spoken, "--n", 50, "--out", tmp_path / "out")
    assert (again.returncode, "already holds a sample" in again.stderr) == (2, True)
