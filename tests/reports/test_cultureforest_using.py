"""Knowing and using, and what was right without the knowledge."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from mores.analysis.results import Result
from mores.benchmarks.cultureforest.analysis import CultureForest, cultureforest
from mores.benchmarks.cultureforest.right_without_knowledge import MOST
from mores.core.estimate import Missing
from mores.core.verdict import Verdict
from mores.tables.missing_texts import format_missing
from tests.reports.regime_cells import easy, evaluation, hard, lacked, medium, norm, possessed, results

KEPT, OPEN = (1, 0, 0), (0, 1, 0)


def made(*evaluations: Result) -> CultureForest:
    found = cultureforest(results(*evaluations))
    assert found is not None
    return found


def knowing(folder: Path, model: str, known: Mapping[str, int], **wished: object) -> Result:
    """What a model possesses: of each question's three norms the first so many."""
    verdicts = [
        v for q, many in known.items() for n in (1, 2, 3) for v in (possessed if n <= many else lacked)(f"{q}.{n}")
    ]
    return evaluation(folder, model, "knowledge", verdicts, **wished)  # type: ignore[arg-type]


def counted(prefix: str, many: int, questions: int = 10) -> dict[str, int]:
    """So many questions of which so many norms are possessed."""
    return {f"{prefix}{many}-{n}": many for n in range(questions)}


def test_questions_stand_by_how_many_of_their_norms_are_possessed(tmp_path: Path) -> None:
    known = {**counted("q", 0), **counted("q", 2), **counted("q", 3, 20)}
    right = {0: 2, 2: 5, 3: 10}  # of ten, ten and twenty
    verdicts = [v for q, many in known.items() for v in medium(q, (int(int(q.split("-")[1]) < right[many]),))]
    (use,) = made(evaluation(tmp_path, "m", "medium", verdicts), knowing(tmp_path, "m", known)).using.uses
    assert [rung.share.value for rung in use.rungs] == [0.25, 0, 0.25, 0.5]
    assert [rung.right.value for rung in use.rungs] == [0.2, None, 0.5, 0.5]
    assert [rung.right.graded for rung in use.rungs] == [10, 0, 10, 20]
    # 10 · 0 + 10 · 2 + 20 · 3 of 120 norms; with all three 10 of 20 are right, with fewer 7 of 20.
    assert use.coverage.value == pytest.approx(80 / 120)
    assert use.complete.value == 0.5
    assert (use.rungs[-1].right.value, use.unknown.right.value) == (0.5, 0.35)


def test_under_ten_questions_no_share_is_given(tmp_path: Path) -> None:
    known = counted("q", 3, 9)
    verdicts = [v for q in known for v in easy(q, (1,))]
    (use,) = made(evaluation(tmp_path, "m", "easy", verdicts), knowing(tmp_path, "m", known)).using.uses
    assert (use.rungs[-1].right.value, use.rungs[-1].right.graded) == (None, 9)
    assert format_missing(use.rungs[-1].right.missing) == "too few questions: 9, at least 10 are needed"


@pytest.mark.parametrize(
    ("said", "negation", "state"),
    [
        ((1, 1, 0), (0, 0, 1), 1),  # two of three each
        ((1, 1, 1), (1, 1, 0), 0),  # yes to everything
        ((1, -1, -1), (0, 0, 0), 0),  # unread is neither
        ((1, 1, None), (0, 0, 0), 1),  # the ungraded one could not change it
        ((1, 0, None), (0, 0, 0), None),  # here it decides
    ],
)
def test_a_norm_is_possessed_by_majority_and_unknown_where_the_ungraded_decides(
    tmp_path: Path, said: Sequence[int | None], negation: Sequence[int | None], state: int | None
) -> None:
    verdicts: list[Verdict] = [*norm("q.1", said, negation), *possessed("q.2"), *possessed("q.3")]
    found = made(
        evaluation(tmp_path, "m", "easy", easy("q", (1,))), evaluation(tmp_path, "m", "knowledge", verdicts)
    ).using
    if state is None:
        assert found.uses == ()
        assert found.unpaired == (("m", "easy", Missing(code="no_question_of_norms_asked")),)
    else:
        assert found.uses[0].complete.value == state


def test_questions_with_a_norm_nobody_asked_about_are_left_out_and_counted(tmp_path: Path) -> None:
    known = {"a": 3, "b": 3}
    verdicts = [v for q in ("a", "b", "c") for v in easy(q, (1,))]
    (use,) = made(evaluation(tmp_path, "m", "easy", verdicts), knowing(tmp_path, "m", known)).using.uses
    assert (use.questions, use.left_out) == (2, 1)


def test_open_answers_are_looked_at_norm_by_norm_too(tmp_path: Path) -> None:
    # Of each question the first norm is possessed and kept to, the others are neither.
    known = counted("q", 1, 12)
    verdicts = [v for q in known for v in hard(q, [KEPT, OPEN, OPEN])]
    (use,) = made(evaluation(tmp_path, "m", "hard", verdicts), knowing(tmp_path, "m", known)).using.uses
    assert use.rungs[1].right.value == pytest.approx(1 / 3)
    lacking, having = use.by_norm
    assert (lacking.known, lacking.right.value, lacking.right.graded) == ("not possessed", 0, 24)
    assert (having.known, having.right.value, having.right.graded) == ("possessed", 1, 12)


def test_a_question_whose_judge_failed_is_left_out(tmp_path: Path) -> None:
    known = {"a": 3, "b": 3}
    verdicts = [*hard("a", [KEPT] * 3), *hard("b", [KEPT, None, KEPT])]
    (use,) = made(evaluation(tmp_path, "m", "hard", verdicts), knowing(tmp_path, "m", known)).using.uses
    assert (use.questions, use.left_out) == (1, 1)
    assert use.by_norm[1].right.graded == 5  # fewer than ten, but five norms were graded


def test_knowledge_of_other_data_is_not_held_against_answers(tmp_path: Path) -> None:
    found = made(
        evaluation(tmp_path, "m", "easy", easy("q", (1,)), data={"d": "aa"}),
        knowing(tmp_path, "m", {"q": 3}, data={"d": "bb"}),
    )
    assert found.using.unpaired == (("m", "easy", Missing(code="other_data")),)
    assert found.unexplained == ()


def test_what_sets_two_models_apart_adds_up(tmp_path: Path) -> None:
    # The sums of split_difference's own example: weak (10, 10) right (2, 5), strong (5, 15) right (1, 9).
    weak = {**{f"q{n}": 0 for n in range(10)}, **{f"q{n}": 3 for n in range(10, 20)}}
    strong = {f"q{n}": 0 if n < 5 else 3 for n in range(20)}
    weak_right = {*range(2), *range(10, 15)}
    strong_right = {0, *range(5, 14)}
    found = made(
        evaluation(tmp_path, "s", "medium", [v for n in range(20) for v in medium(f"q{n}", (int(n in strong_right),))]),
        knowing(tmp_path, "s", strong),
        evaluation(tmp_path, "w", "medium", [v for n in range(20) for v in medium(f"q{n}", (int(n in weak_right),))]),
        knowing(tmp_path, "w", weak),
    ).using
    (part,) = (split for split in found.partings if split.mode == "medium")
    assert part.difference.value == pytest.approx(0.15)
    assert part.knowledge == pytest.approx(0.0875)
    assert part.reasoning == pytest.approx(0.0625)


def test_every_pair_is_parted_over_what_both_answered(tmp_path: Path) -> None:
    evaluations = []
    for number, name in enumerate("abc"):
        mine = {f"q{n}": 3 for n in range(number, 10 + number)}
        evaluations += [
            evaluation(tmp_path, name, "medium", [v for q in mine for v in medium(q, (1,))]),
            knowing(tmp_path, name, mine),
        ]
    partings = made(*evaluations).using.partings
    assert [(p.first, p.second, p.difference.graded) for p in partings] == [("a", "b", 9), ("a", "c", 8), ("b", "c", 9)]


def test_right_without_the_knowledge_is_right_in_every_sample_with_a_norm_lacking(tmp_path: Path) -> None:
    known = {"none": 0, "two": 2, "luck": 1, "all": 3, "broken": 0}
    outcomes = {"none": (1, 1, 1), "two": (1, 1, 1), "luck": (1, 1, 0), "all": (1, 1, 1), "broken": (1, 1, None)}
    verdicts = [v for q, of in outcomes.items() for v in easy(q, of)]
    said = {f"{q}-easy": f"It is {q}." for q in outcomes}
    of_norms = {f"{q}.{n}-true": "True" for q in known for n in (1, 2, 3)}
    found = made(
        evaluation(tmp_path, "m", "easy", verdicts, said=said), knowing(tmp_path, "m", known, said=of_norms)
    ).unexplained
    (surprises,) = found
    assert (surprises.total, surprises.none_known, surprises.with_unknown, surprises.samples) == (2, 1, 3, 3)
    assert [s.question for s in surprises.shown] == ["none", "two"]
    assert [line.text for line in surprises.shown[0].answers[0].lines] == [
        "Asked none-easy.",
        "Thought of none-easy.",
        "It is none.",
    ]
    assert [(n.id, n.known) for n in surprises.shown[1].norms] == [
        ("two.1", True),
        ("two.2", True),
        ("two.3", False),
    ]
    assert surprises.shown[1].norms[2].asked == "Asked two.3-true."


def test_a_few_are_shown_of_many_and_always_the_same(tmp_path: Path) -> None:
    known = {f"q{n}": n % 2 for n in range(MOST + 30)}
    verdicts = [v for q in known for v in easy(q, (1,))]
    evaluations = evaluation(tmp_path, "m", "easy", verdicts), knowing(tmp_path, "m", known)
    (one,), (other,) = made(*evaluations).unexplained, made(*evaluations).unexplained
    assert (len(one.shown), one.total) == (MOST, MOST + 30)
    assert one == other
    assert [s.unknown for s in one.shown] == [3] * 40 + [2] * 10


def test_all_four_options_of_a_medium_question_are_shown(tmp_path: Path) -> None:
    said = {f"q-medium-{n}": f"Option {n}." for n in (1, 2, 3, 4)}
    found = made(
        evaluation(tmp_path, "m", "medium", medium("q", (1, 1)), said=said), knowing(tmp_path, "m", {"q": 0})
    ).unexplained
    assert [s.item for s in found[0].shown[0].answers] == list(said)
    assert [s.lines[-1].text for s in found[0].shown[0].answers] == list(said.values())


def test_what_a_transcript_lacks_is_shown_as_nothing(tmp_path: Path) -> None:
    found = made(evaluation(tmp_path, "m", "easy", easy("q", (1,))), knowing(tmp_path, "m", {"q": 0})).unexplained
    assert found[0].shown[0].answers[0].lines == ()
