"""People's labels beside judges' words: read from any file, and refused with their line where they fit nothing."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from mores.annotation.judged_items import LabelQuestion
from mores.annotation.label_tables import read_tables, refuse_mixed
from mores.annotation.sample import Sample, SampleSpec, draw_sample
from mores.benchmarks.label_rows import read_label_rows
from mores.core.errors import InputError
from mores.runs.folder import write_manifest
from mores.runs.spec import Spec
from tests.annotation.conftest import Shape
from tests.annotation.runs import SHAPES, TALKS, judged_again, label, labels_file, table_of, things


def words(run: Path, task: str) -> list[object]:
    return [each for each in things(run) if each.thing.task == task]


def test_labels_by_name_stand_beside_what_they_are_about(shape: Shape, tmp_path: Path) -> None:
    run = shape(TALKS)
    judged = [each for each in things(run) if each.thing.task == "awareness"]
    rows = [label(judged[3], "yes"), label(judged[3], "no", "Bo"), label(judged[0], "no", "Bo")]
    table = table_of(run, labels_file(tmp_path / "labels.csv", rows), "awareness")
    assert table.people == ("Ana", "Bo")
    assert [each.thing for each in table.rows] == [each.thing for each in judged]
    assert table.labelled.nonzero()[0].tolist() == [0, 3]
    yes, no = table.options.index("yes"), table.options.index("no")
    assert table.labels[3].tolist() == [yes, no]
    assert np.isnan(table.labels[0][0])
    assert table.labels[0][1] == no
    assert np.isnan(table.truth[3])  # a tie
    assert table.truth[0] == no
    assert [table.options[round(code)] for code in table.judged] == [each.label for each in judged]


def test_labels_by_id_are_about_the_answer_that_was_drawn(spoken: Path, tmp_path: Path) -> None:
    sample, _ = draw_sample([spoken], SampleSpec(n=60, tasks=("awareness",), one_per="item"))
    rows = [{"id": row.id, "annotator": "Ana", "label": "yes", "note": "hm"} for row in sample.rows]
    (table,) = read_tables([spoken], [labels_file(tmp_path / "labels.csv", rows)], sample)
    assert int(table.labelled.sum()) == 60
    of = {row.id: row for row in sample.rows}
    for place in table.labelled.nonzero()[0]:
        drawn, each = of[table.ids[place]], table.rows[place]
        assert (drawn.model, drawn.thing) == (each.evaluation.model, each.thing)
        assert table.splits[place] == drawn.split != ""
    assert {table.splits[place] for place in (~table.labelled).nonzero()[0]} == {""}


def test_the_same_labels_serve_the_same_plays_judged_by_others(spoken: Path, tmp_path: Path) -> None:
    sample, _ = draw_sample([spoken], SampleSpec(n=40, tasks=("goal",)))
    rows = [{"id": row.id, "annotator": "Ana", "label": "yes"} for row in sample.rows]
    spec = Spec(benchmarks=(TALKS,), data=str(spoken.parent / "run-data"), limit="all",
                models=("simulated/typical", "simulated/novice"))  # fmt: skip
    again = judged_again(tmp_path / "again", spoken, spec, "simulated/novice")
    (table,) = read_tables([again], [labels_file(tmp_path / "labels.csv", rows)], sample)
    assert int(table.labelled.sum()) == 40


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json"])
def test_labels_come_as_csv_with_or_without_a_byte_mark_and_as_json(ending: str, shape: Shape, tmp_path: Path) -> None:
    run = shape("ladder/explain")
    rows = [label(each, 0.5, "Zoë") for each in things(run)]
    path = tmp_path / f"labels.{ending}"
    if ending == "csv":
        labels_file(path, rows)
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n\n" for row in rows))
    else:
        path.write_text(json.dumps(rows))
    table = table_of(run, path, "coverage")
    assert table.people == ("Zoë",)
    assert set(table.labels[:, 0].tolist()) == {0.5}
    assert set(table.truth.tolist()) == {0.5}


@pytest.mark.parametrize("between", [";", "\t"])
def test_a_sheet_that_was_saved_with_other_separators_and_decimal_commas_is_read(
    between: str, shape: Shape, tmp_path: Path
) -> None:
    run = shape("ladder/explain")
    first, second, *_ = (each.thing for each in things(run))
    rows = [("item", "task", "annotator", "label"), *((t.item, t.task, "Zoë", "0,25") for t in (first, second))]
    path = tmp_path / "labels.csv"
    path.write_bytes("".join(between.join(row) + "\r\n" for row in rows).encode("utf-8-sig"))
    table = table_of(run, path, "coverage")
    assert int(table.labelled.sum()) == 2
    assert np.nansum(table.labels) == 0.5


@pytest.mark.parametrize("column", ["task", "place"])
def test_a_sheet_whose_columns_were_sorted_apart_is_refused(column: str, spoken: Path, tmp_path: Path) -> None:
    sample, _ = draw_sample([spoken], SampleSpec(n=60, tasks=("awareness", "goal"), one_per="item"))
    rows = [{"id": row.id, "task": row.task, "place": row.place, "annotator": "Ana", "label": "yes"}
            for row in sample.rows]  # fmt: skip
    assert read_tables([spoken], [labels_file(tmp_path / "labels.csv", rows)], sample)
    whole = {row[column] for row in rows}
    rows[7][column] = next(iter(whole - {rows[7][column]}))
    with pytest.raises(InputError, match=rf"sorted.csv:9: {column} is '.*were the sheet's columns sorted apart"):
        read_tables([spoken], [labels_file(tmp_path / "sorted.csv", rows)], sample)


def test_a_run_that_was_cut_short_is_not_said_to_have_no_judge(tmp_path: Path) -> None:
    run = tmp_path / "cut"
    run.mkdir()
    write_manifest(run, {"kind": "run", "state": "running", "spec": {}})
    with pytest.raises(InputError, match=r"not finished; expected a finished run. Continue with: mores resume"):
        read_tables([run])


def test_a_row_that_nobody_has_filled_in_yet_is_no_label(shape: Shape, tmp_path: Path) -> None:
    run = shape("ladder/explain")
    first, second, *_ = things(run)
    rows = [label(first, ""), {**label(first, " "), "annotator": ""}, label(second, " 0.25 ")]
    table = table_of(run, labels_file(tmp_path / "labels.csv", rows), "coverage")
    assert int(table.labelled.sum()) == 1
    assert np.nansum(table.labels) == 0.25


def test_words_are_read_whatever_their_case(shape: Shape, tmp_path: Path) -> None:
    run = shape("cultureforest/hard")
    first, second, *_ = things(run)
    path = labels_file(tmp_path / "labels.csv", [label(first, "Satisfied"), label(second, "NEUTRAL")])
    table = table_of(run, path, "norm")
    assert table.truth[:2].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("task", ["norms", "profile", "context", "goal"])
def test_labels_of_a_day_name_the_step_and_the_norm(task: str, shape: Shape, tmp_path: Path) -> None:
    run = shape("liveculture/town")
    each = next(each for each in things(run) if each.thing.task == task)
    assert each.thing.step is not None
    table = table_of(run, labels_file(tmp_path / "labels.csv", [label(each, each.options[1])]), task)
    assert [table.rows[place].thing for place in table.labelled.nonzero()[0]] == [each.thing]
    wrong = {**label(each, each.options[1]), "step": 999}
    with pytest.raises(InputError, match=rf"step 999.* was not judged.*of this item there is, .*{task}"):
        table_of(run, labels_file(tmp_path / "wrong.csv", [wrong]), task)


def test_verdicts_that_are_worked_out_have_all_their_words_in_order(shape: Shape, tmp_path: Path) -> None:
    run = shape(TALKS)
    each = next(each for each in things(run) if each.thing.task == "behaviour")
    table = table_of(run, labels_file(tmp_path / "labels.csv", [label(each, 3)]), "behaviour")
    assert table.options == ("0", "1", "2", "3")
    assert table.ordered
    assert np.nanmax(table.truth) == 3.0
    live = shape("ladder/live")
    lived = next(each for each in things(live) if each.thing.task == "live")
    assert not table_of(live, labels_file(tmp_path / "live.csv", [label(lived, "violated")]), "live").ordered


BAD: dict[str, tuple[dict[str, object], str]] = {
    "unknown item": (
        {"item": "socialcc-999"},
        "labels.csv:2: socialcc-999, sample 0, awareness was not judged in these",
    ),
    "unknown sample": ({"sample": 7}, "sample 7, awareness was not judged in these runs; of this item there is"),
    "unknown task": ({"task": "taste"}, "taste was not judged in these runs; tasks are awareness, behaviour"),
    "another word": ({"label": "maybe"}, "labels.csv:2: label is 'maybe'; expected one of yes, no."),
    "points for words": ({"label": "1"}, "label is '1'; expected one of yes, no."),
    "nobody": ({"annotator": " "}, "labels.csv:2: annotator is empty"),
    "a sample that is none": ({"sample": "first"}, "sample is 'first'; expected a whole number from 0 up."),
    "a step that is none": ({"step": "-1"}, "step is '-1'; expected a whole number from 0 up."),
    "no item": ({"item": ""}, "item is empty"),
    "an id without a sample": ({"id": "abc"}, "the id 'abc' is of a work list; name its folder: --sample DIR."),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_label_is_refused_with_its_line(name: str, shape: Shape, tmp_path: Path) -> None:
    change, says = BAD[name]
    run = shape(TALKS)
    each = next(each for each in things(run) if each.thing.task == "awareness")
    path = labels_file(tmp_path / "labels.csv", [{**label(each, "yes"), **change}])
    with pytest.raises(InputError) as refused:
        read_tables([run], [path])
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("points", ["1.01", "-0.1", "nan", "inf", "good", "1,5"])
def test_points_outside_the_scale_are_refused(points: str, shape: Shape, tmp_path: Path) -> None:
    run = shape("ladder/explain")
    path = labels_file(tmp_path / "labels.csv", [label(things(run)[0], points)])
    with pytest.raises(InputError, match=rf"labels.csv:2: label is '{points}'; expected points from 0 to 1"):
        read_tables([run], [path])


def test_one_person_labels_one_thing_once_over_all_files(shape: Shape, tmp_path: Path) -> None:
    run = shape("ladder/explain")
    row = label(things(run)[0], 0.5)
    with pytest.raises(InputError, match=r"twice.csv:3: a second label of .* by 'Ana' \(first .*twice.csv:2\)"):
        read_label_rows(labels_file(tmp_path / "twice.csv", [row, row]))
    paths = [labels_file(tmp_path / name, [row]) for name in ("one.csv", "two.csv")]
    with pytest.raises(InputError, match=r"two.csv:2: a second label of .* by 'Ana' \(first .*one.csv:2\)"):
        read_tables([run], paths)
    other = labels_file(tmp_path / "other.csv", [label(things(run)[0], 0.5, "Bo")])
    assert read_tables([run], [paths[0], other])[0].people == ("Ana", "Bo")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no rows"),
        ("item,task,label\ni,t,yes\n", "no column ['annotator']"),
        ("annotator,label\nAna,yes\n", "neither an id nor item and task"),
        ("item,task,annotator,label\ni,t,Ana,\n", "no row has a label"),
        ("item,task,annotator,label\ni,t,Ana\n", "not as many cells as the header has"),
    ],
)
def test_a_file_that_holds_no_labels_is_refused(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_label_rows(path)
    assert says in str(refused.value)


def test_a_name_that_could_be_several_answers_is_refused(spoken: Path, shape: Shape, tmp_path: Path) -> None:
    each = next(each for each in things(spoken) if each.thing.task == "goal")
    path = labels_file(tmp_path / "labels.csv", [label(each, "yes")])
    with pytest.raises(InputError, match=r"answered 2 times \(simulated/novice, simulated/typical\); label by the ids"):
        read_tables([spoken], [path])
    run = shape("ladder/explain")
    path = labels_file(tmp_path / "twice.csv", [label(things(run)[0], 0.5)])
    with pytest.raises(InputError, match="was judged 2 times"):
        read_tables([run, run], [path])


def test_ids_are_of_the_sample_and_of_its_runs(spoken: Path, shape: Shape, tmp_path: Path) -> None:
    sample, _ = draw_sample([spoken], SampleSpec(n=5, tasks=("goal",)))
    path = labels_file(tmp_path / "a.csv", [{"id": "0" * 12, "annotator": "Ana", "label": "yes"}])
    with pytest.raises(InputError, match=r"a.csv:2: the sample has no id '000000000000'; expected one of its 5"):
        read_tables([spoken], [path], sample)
    path = labels_file(tmp_path / "b.csv", [{"id": sample.rows[0].id, "annotator": "Ana", "label": "yes"}])
    with pytest.raises(InputError, match="about an answer that is not in these runs"):
        read_tables([shape(TALKS)], [path], sample)


def test_a_task_that_nobody_judged_is_refused(shape: Shape) -> None:
    with pytest.raises(InputError, match="--task taste: nobody judged it; tasks are coverage"):
        read_tables([shape("ladder/explain")], tasks=("taste",))


def test_without_labels_there_is_a_table_for_each_task(shape: Shape) -> None:
    tables = read_tables([shape(TALKS)])
    assert [table.task for table in tables] == [
        "awareness", "commonsense", "goal", "respected", "respected_both", "value", "behaviour",
    ]  # fmt: skip
    assert not any(table.labelled.any() for table in tables)


def test_some_rows_of_a_table_keep_all_that_belongs_to_them(spoken: Path, tmp_path: Path) -> None:
    sample, _ = draw_sample([spoken], SampleSpec(n=30, tasks=("goal",)))
    rows = [{"id": row.id, "annotator": "Ana", "label": "yes"} for row in sample.rows]
    (table,) = read_tables([spoken], [labels_file(tmp_path / "labels.csv", rows)], sample)
    of, truth = {row.thing: row for row in sample.rows if row.split == "test"}, table.truth
    part = table.at(table.splits == "test")
    assert part.ids.tolist() == [of[row.thing].id for row in part.rows]
    assert len(part.rows) == len(of)
    assert truth.tolist().count(0.0) == len(sample.rows)
    assert part.truth.tolist() == [0.0] * len(part.rows)


def test_figures_are_of_one_judge_asked_in_one_way(shape: Shape, tmp_path: Path) -> None:
    run, spec = shape(TALKS), SHAPES[TALKS]
    other = judged_again(tmp_path / "other", run, spec, "simulated/novice")
    same = judged_again(tmp_path / "same", run, spec, "simulated/judge")
    for table in read_tables([run]):
        refuse_mixed(table)
    with pytest.raises(InputError, match=r"judged by simulated/judge in .* and by simulated/novice in .*one after"):
        refuse_mixed(read_tables([run, other])[0])
    with pytest.raises(InputError, match=r"stands in .* and in .*; give one of them"):
        refuse_mixed(read_tables([run, same])[0])
    binary = judged_again(tmp_path / "binary", shape("ladder/explain"), Spec(
        benchmarks=("ladder/explain",), data=SHAPES["ladder/explain"].data, settings={"scale": "binary"}
    ), "simulated/judge")  # fmt: skip
    with pytest.raises(InputError, match="one version and one scale"):
        refuse_mixed(read_tables([shape("ladder/explain"), binary])[0])


def told_of(spoken: Path, rows: list[dict[str, object]], sample: Sample, folder: Path) -> tuple[int, list[str]]:
    """How many things are labelled, and what is said of codes that had changed."""
    said: list[str] = []
    tables = read_tables([spoken], [labels_file(folder / "labels.csv", rows)], sample, noting=said.append)
    return sum(int(table.labelled.sum()) for table in tables), said


def test_codes_that_a_spreadsheet_made_numbers_of_are_matched_and_counted(spoken: Path, tmp_path: Path) -> None:
    drawn, _ = draw_sample([spoken], SampleSpec(n=3, tasks=("goal",)))
    old = ("641264123456", "000000007000", "ab1264123456")
    sample = replace(drawn, rows=tuple(replace(row, id=code) for row, code in zip(drawn.rows, old, strict=True)))
    rows: list[dict[str, object]] = [
        {"id": code, "annotator": "Ana", "label": "yes"} for code in ("6.41264E+11", "7000.0", "ab1264123456")
    ]
    assert told_of(spoken, rows, sample, tmp_path) == (3, ["Labels matched: 2 by codes that had become numbers."])
    rows[0]["id"] = "6.41265E+11"
    with pytest.raises(InputError, match=r"labels.csv:2: the sample has no id '6.41265E\+11'; expected one of its 3"):
        told_of(spoken, rows, sample, tmp_path)


def without_codes(sample: Sample, questions: Sequence[LabelQuestion]) -> list[dict[str, object]]:
    """The rows of a work list as a tool gives them back that has written its own number over the code."""
    return [
        {"id": 7000 + number, "task": row.task, "place": row.place, "annotator": "Ana",
         "label": (*question.options, "0.5")[0],
         "words": f"  {question.words}\r\n".replace("\n\n", "\n")}
        for number, (row, question) in enumerate(zip(sample.rows, questions, strict=True))
    ]  # fmt: skip


def test_a_row_whose_code_a_tool_wrote_over_is_matched_by_its_words(spoken: Path, tmp_path: Path) -> None:
    sample, questions = draw_sample([spoken], SampleSpec(n=40, tasks=("goal", "value"), one_per="item"))
    rows = without_codes(sample, questions)
    count, said = told_of(spoken, rows, sample, tmp_path)
    assert (count, said) == (40, ["Labels matched: 40 by their words, as there was no code."])
    rows[0]["words"] = "Other words."
    with pytest.raises(InputError, match=r"labels.csv:2: the sample has no id '7000', and no row of its words"):
        told_of(spoken, rows, sample, tmp_path)


def test_words_that_stand_in_several_rows_match_none_and_are_counted(shape: Shape, tmp_path: Path) -> None:
    run = shape("cure/casa_thick")
    sample, questions = draw_sample([run], SampleSpec(n=8, one_per="none", stratify=()))
    words = Counter((row.task, row.place, q.words) for row, q in zip(sample.rows, questions, strict=True))
    alone = sum(count == 1 for count in words.values())
    assert alone < 8
    count, (said,) = told_of(run, without_codes(sample, questions), sample, tmp_path)
    assert count == alone
    assert f"left out: {8 - alone} without a code, whose words stand in several rows" in said


def test_a_code_counts_before_a_tools_own_number_and_two_codes_of_two_rows_are_refused(
    spoken: Path, tmp_path: Path
) -> None:
    sample, _ = draw_sample([spoken], SampleSpec(n=4, tasks=("goal",)))
    rows: list[dict[str, object]] = [
        {"id": 7000 + number, "code": row.id.upper(), "annotator": "Ana", "label": "yes"}
        for number, row in enumerate(sample.rows)
    ]
    assert told_of(spoken, rows, sample, tmp_path) == (4, [])
    rows[0]["id"] = sample.rows[1].id
    with pytest.raises(InputError, match=r"labels.csv:2: '.*' and '.*' are two rows of the sample"):
        told_of(spoken, rows, sample, tmp_path)
