"""What judges were asked, put to people: everything that was judged, in words that show neither judge nor model."""

from pathlib import Path

import pytest

from mores.annotation.judged_items import POINTS_FORM, judged_evaluations, judged_things, questions_of
from mores.core.errors import InputError
from mores.runs.spec import Spec
from tests.annotation.conftest import Shape
from tests.annotation.runs import SHAPES, made
from tests.benchmarks.plays import TINY

WORKED_OUT = {"behaviour", "live", "on_time", "unreached"}


@pytest.mark.parametrize("name", SHAPES)
def test_people_are_asked_about_each_thing_that_judges_were_asked_about_and_no_other(name: str, shape: Shape) -> None:
    (evaluation,) = judged_evaluations([shape(name)])
    things = list(judged_things(evaluation))
    questions = questions_of(evaluation.run, evaluation.folder)
    assert {q.thing for q in questions} == {each.thing for each in things if each.prompt}
    assert len(questions) == len({q.thing for q in questions}) > 0
    assert {each.thing.task for each in things if not each.prompt} <= WORKED_OUT
    options = {each.thing: each.options for each in things}
    assert all(q.options == options[q.thing] for q in questions)


@pytest.mark.parametrize("name", SHAPES)
def test_a_question_has_its_truth_and_a_form_and_nothing_of_who_answered(name: str, shape: Shape) -> None:
    (evaluation,) = judged_evaluations([shape(name)])
    for question in questions_of(evaluation.run, evaluation.folder):
        assert question.truth is not None
        assert question.truth in question.options if question.options else 0 <= float(question.truth) <= 1
        form = f"Choose one of these words: {', '.join(question.options)}." if question.options else POINTS_FORM
        assert form in question.words
        assert "simulated" not in question.words.replace("A simulated", "")
        assert "JSON" not in question.words
        assert "[[" not in question.words


def test_all_five_tasks_of_a_day_in_town_are_put_to_people(shape: Shape) -> None:
    (evaluation,) = judged_evaluations([shape("liveculture/town")])
    tasks = {q.thing.task for q in questions_of(evaluation.run, evaluation.folder)}
    assert tasks == {"goal", "norms", "profile", "context", "coherence"}


def test_of_a_list_people_read_only_what_bears_on_the_one_thing(shape: Shape) -> None:
    (evaluation,) = judged_evaluations([shape("liveculture/town")])
    norms = [q for q in questions_of(evaluation.run, evaluation.folder) if q.thing.task == "norms"]
    names = {q.thing.norm for q in norms}
    for question in norms:
        assert f"{question.thing.norm}: " in question.words
        assert f"of this alone: {question.thing.norm}" in question.words
        assert not any(f"\n{other}: " in question.words for other in names - {question.thing.norm})


def test_questions_can_be_had_of_some_items_alone(shape: Shape) -> None:
    (evaluation,) = judged_evaluations([shape("socialcc/dialogue")])
    whole = questions_of(evaluation.run, evaluation.folder)
    item = whole[0].thing.item
    assert questions_of(evaluation.run, evaluation.folder, {item}) == tuple(q for q in whole if q.thing.item == item)
    assert questions_of(evaluation.run, evaluation.folder, ()) == ()


def test_words_of_the_subject_stand_between_marks(scenes: Path) -> None:
    (evaluation,) = judged_evaluations([scenes])
    question = questions_of(evaluation.run, evaluation.folder)[0]
    assert "[answer]\n" in question.words
    assert "\n[end]" in question.words


def test_a_run_that_nobody_judged_has_no_questions(tmp_path: Path) -> None:
    run = made(tmp_path / "run", Spec(benchmarks=("ladder/know",), data=str(TINY / "ladder")))
    with pytest.raises(InputError, match="nobody judges in ladder/know"):
        questions_of(run, run)
    with pytest.raises(InputError, match="nobody judges in it"):
        judged_evaluations([run])


def test_a_folder_that_is_no_part_of_the_run_is_refused(scenes: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no evaluation of the run"):
        questions_of(scenes, tmp_path)
