"""Pairs to train verifiers on: labelled by the matrix, by norms of elsewhere, by judges or people; and their split."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

import mores
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.verifier_facts import STANDS
from mores.pipelines.verifier.pairs import ResponseNormPair, models_of, pairs_given, read_pairs, split_pairs, together
from tests.benchmarks.plays import TINY

FOREST = TINY / "cultureforest"
SEED = Seed("mores-0")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("verifier") / "run"
    models = ["simulated/typical", "simulated/novice:format_error=0"]
    mores.run("cultureforest/hard", data=FOREST, model=models, judge="simulated/judge", samples=1, out=out)
    return out


def pair(cluster: str, **kwargs: str) -> ResponseNormPair:
    return replace(
        ResponseNormPair(id=cluster, cluster=cluster, response="r", norm="n", label="satisfy", origin="file"), **kwargs
    )


def test_options_are_labelled_by_the_matrix_and_one_norm_of_elsewhere_is_neutral() -> None:
    pairs = pairs_given([FOREST]).pairs
    questions = {each.id.partition("/")[0] for each in pairs}
    by_label = Counter(each.label for each in pairs if each.origin == "matrix")
    assert by_label == {"satisfy": 9 * len(questions), "violate": 3 * len(questions)}
    neutral = [each for each in pairs if each.label == "neutral"]
    assert {each.origin for each in neutral} == {"unrelated"}
    matrix = [each for each in pairs if each.origin == "matrix"]
    norms_of = {
        name: {each.norm for each in matrix if each.cluster == name} for name in {each.cluster for each in matrix}
    }
    place_of = {each.cluster: each.place for each in matrix}
    assert neutral
    assert all(each.norm not in norms_of[each.cluster] and each.place != place_of[each.cluster] for each in neutral)
    assert pairs_given([FOREST]).pairs == pairs


def test_answers_of_a_run_are_labelled_by_its_judge(run: Path) -> None:
    given = pairs_given([run])
    assert models_of(given.pairs) == ("simulated/novice:format_error=0", "simulated/typical")
    assert {each.origin for each in given.pairs} == {"judge"}
    assert {each.labels for each in given.pairs} == {"synthetic"}
    assert {each.cluster for each in given.pairs} == {each.cluster for each in pairs_given([FOREST]).pairs}


def test_where_people_labelled_the_judge_does_not_count_and_most_of_them_decide(tmp_path: Path) -> None:
    run = tmp_path / "run"
    mores.run("cultureforest/hard", data=FOREST, model="simulated/typical", judge="simulated/judge", samples=1, out=run)
    vote = json.loads(next(run.rglob("votes.jsonl")).read_text().splitlines()[0])
    said = {"Ana": "violated", "Bo": "violated", "Cy": "satisfied"}
    rows = [
        f"{vote['item']},{vote['task']},{norm},{who},{label}" for norm in vote["said"] for who, label in said.items()
    ]
    labels = tmp_path / "labels.csv"
    labels.write_text("\n".join(["item,task,norm,annotator,label", *rows]) + "\n")
    given, judged = pairs_given([run], [labels]), pairs_given([run])
    assert [(each.label, each.origin, each.labels) for each in given.pairs] == [("violate", "people", "people")]
    assert given.pairs[0].id in {each.id for each in judged.pairs}
    assert given.unlabelled == len(judged.pairs) - 1


def test_a_file_says_what_it_says_and_a_tie_of_annotators_is_no_label(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "id,response,norm,label,question,annotator\n"
        "a,Shoes stay on,Shoes come off,violate,At the door,Ana\n"
        "a,Shoes stay on,Shoes come off,violate,At the door,Bo\n"
        "b,Bows,Shoes come off,neutral,At the  DOOR,Ana\n"
        "b,Bows,Shoes come off,satisfy,At the  DOOR,Bo\n"
        "c,Bows,People bow,satisfy,,\n"
    )
    first, tied, last = read_pairs(path)
    assert (first.label, first.labels, first.cluster) == ("violate", "people", tied.cluster)
    assert tied.label is None
    assert last.labels == "file"
    assert pairs_given([path]).unlabelled == 1


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("id,response,norm,label\na,x,y,good\n", "label is 'good'; expected one of"),
        ("id,response,label\na,x,satisfy\n", "no column 'norm'"),
        ("id,response,norm,label\na,,y,satisfy\n", "response is empty"),
        ("id,response,norm,label\na,x,y,\n", "no pair of a response and a norm has a label"),
        ("id,response,norm,label\na,x,y,satisfy\na,z,y,satisfy\n", "id a: it has two responses or two norms"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(rows: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(rows)
    with pytest.raises(InputError, match=says.replace("[", r"\[").replace("]", r"\]")):
        pairs_given([path])


def test_no_question_is_on_both_sides_and_another_question_moves_none() -> None:
    pairs = [pair(f"c{number}", question=f"What of {number}?") for number in range(200)]
    split = split_pairs(pairs, 0.1, seed=SEED)
    held = {each.cluster for each in split.held_out}
    assert held.isdisjoint(each.cluster for each in split.train)
    assert 8 <= len(held) <= 34
    more = split_pairs([*pairs, pair("d", question="Another?")], 0.1, seed=SEED)
    assert held == {each.cluster for each in more.held_out} - {"d"}


def test_questions_that_say_the_same_stay_together() -> None:
    same = [pair("a", question="Where to?"), pair("b", question="where  to"), pair("c", question="Why?"), pair("d")]
    assert together(same) == {"a": "a", "b": "a", "c": "c", "d": "d"}


class Near:
    """Two questions point the same way."""

    identity = "near"

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] if "door" in text else [0.0, 1.0] for text in texts]


def test_questions_that_nearly_say_the_same_stay_together_where_a_model_finds_them() -> None:
    near = [pair("a", question="At the door?"), pair("b", question="By the door, then?"), pair("c", question="Why?")]
    assert together(near, Near()) == {"a": "a", "b": "a", "c": "c"}


def test_nothing_is_learnt_from_a_left_out_model() -> None:
    pairs = [pair(f"c{n}", model=model, id=f"{n}{model}") for n in range(60) for model in ("one", "two")]
    split = split_pairs(pairs, 0.2, seed=SEED, leave_out="two")
    assert {each.model for each in (*split.train, *split.held_out)} == {"one"}
    assert len(split.left_out) == 60
    assert {each.cluster for each in split.held_out} == {
        each.cluster for each in split_pairs(pairs, 0.2, seed=SEED).held_out
    }


@pytest.mark.parametrize(
    ("share", "says"),
    [(0.0, "expected a share between 0 and 1"), (0.001, "no pair is held out of 3 questions that differ")],
)
def test_a_split_without_a_part_is_refused(share: float, says: str) -> None:
    with pytest.raises(InputError, match=says):
        split_pairs([pair(name) for name in "abc"], share, seed=SEED)


def test_labels_have_the_order_of_an_encoders_head() -> None:
    assert STANDS == ("satisfy", "neutral", "violate")
