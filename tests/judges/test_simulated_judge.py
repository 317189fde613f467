"""A simulated judge errs as often as planted, in the rubric's own words, and never judges a real subject."""

from statistics import fmean, pstdev

import pytest
from scipy import stats

from mores.core.errors import InputError
from mores.core.transcript import ReplyEvent
from mores.judges.judge import JudgeResult, Unjudged
from mores.judges.rubric import Case, Planted, Rubric
from mores.judges.rubric_answers import AnswerFormat, ChoiceAnswer, Opinion, Score
from tests.judges.bench import LABELS, YES_NO, Simulation, case, judge, planted_case, rubric

COUNT = 1_000


def opinions(spec: str, rubric: Rubric, planted: Planted, *, place: str = "JP", count: int = COUNT) -> list[Opinion]:
    cast = Simulation(f"simulated/judge:format_error=0,{spec}")
    said = [judge(cast, rubric, planted_case(rubric, planted, f"i-{n}", place=place)) for n in range(count)]
    assert all(isinstance(each, JudgeResult) for each in said)
    return [each.opinion for each in said if isinstance(each, JudgeResult)]


def plausible(seen: int, chance: float) -> bool:
    return float(stats.binomtest(seen, COUNT, chance).pvalue) > 1e-4


@pytest.mark.parametrize(
    ("planted", "place", "chance"), [(True, "JP", 0.7), (False, "JP", 0.4), (True, "NG", 0.2), (False, "NG", 0.4)]
)
def test_yes_is_said_as_often_as_planted(planted: bool, place: str, chance: float) -> None:
    said = opinions("sensitivity=.7,specificity=.6,NG.sensitivity=.2", rubric(YES_NO), planted, place=place)
    assert plausible(sum(opinion.choice == "yes" for opinion in said), chance)


@pytest.mark.parametrize(("truth", "right"), [("satisfy", 0.8), ("violate", 0.6)])
def test_a_wrong_word_is_any_of_the_others(truth: str, right: float) -> None:
    said = [o.choice for o in opinions("sensitivity=.8,specificity=.6", rubric(LABELS), truth)]
    assert plausible(said.count(truth), right)
    assert plausible(said.count("neutral"), (1 - right) / 2)


def test_where_no_word_says_good_sensitivity_holds_for_all() -> None:
    flat = rubric(ChoiceAnswer(options=("a", "b")))
    said = opinions("sensitivity=.8,specificity=0", flat, "b")
    assert plausible(sum(opinion.choice == "b" for opinion in said), 0.8)


@pytest.mark.parametrize("level", [0.0, 0.15, 0.5, 0.85, 1.0])
def test_the_mean_score_is_the_planted_level(level: float) -> None:
    points = [opinion.points or 0.0 for opinion in opinions("noise=.2", rubric(), level)]
    assert fmean(points) == pytest.approx(level, abs=4 * 0.2 / COUNT**0.5 + 0.003)
    assert min(points) >= 0
    assert max(points) <= 1


def test_more_noise_spreads_scores_wider() -> None:
    spreads = [pstdev([o.points or 0.0 for o in opinions(f"noise={noise}", rubric(), 0.5)]) for noise in (0, 0.1, 0.2)]
    assert spreads == pytest.approx([0, 0.1, 0.2], abs=0.01)


def test_many_ids_are_judged_each_by_its_own_truth() -> None:
    many = rubric(LABELS, many=True)
    ids, plain = ("a", 'q"\\', "ć"), case(ids=("a", 'q"\\', "ć"))
    words = ("violate", "satisfy", "neutral")
    key = many.key(dict(zip(ids, words, strict=True)), unit="u")
    cast = Simulation("simulated/judge:sensitivity=1,specificity=1,format_error=0")
    said = judge(cast, many, Case(values=plain.values, tag=plain.tag, ids=ids, key=key))
    assert isinstance(said, JudgeResult)
    assert [(o.id, o.choice) for o in said.opinions] == list(zip(ids, words, strict=True))
    last = said.events[-1]
    assert isinstance(last, ReplyEvent)
    assert last.planted == "violate, satisfy, neutral"


def test_many_scores_are_said_too() -> None:
    many = rubric(Score(), many=True)
    plain = case(ids=("a", "b"))
    key = many.key({"a": 0.25, "b": 1.0}, unit="u")
    cast = Simulation("simulated/judge:noise=0,format_error=0")
    said = judge(cast, many, Case(values=plain.values, tag=plain.tag, ids=("a", "b"), key=key))
    assert isinstance(said, JudgeResult)
    assert [o.points for o in said.opinions] == [0.25, 1.0]


def test_format_errors_come_as_often_as_planted_and_twice_make_no_grade() -> None:
    cast, yes_no = Simulation("simulated/judge:format_error=.4"), rubric(YES_NO)
    said = [judge(cast, yes_no, planted_case(yes_no, True, f"i-{n}")) for n in range(COUNT)]
    assert plausible(sum(len(each.events) == 4 for each in said), 0.4)
    assert plausible(sum(isinstance(each, Unjudged) for each in said), 0.16)


def test_asked_again_for_the_form_it_judges_the_same() -> None:
    yes_no = rubric(YES_NO)
    clear, sloppy = (Simulation(f"simulated/judge:sensitivity=.5,format_error={p}") for p in ("0", ".5"))
    for n in range(100):
        first, second = (judge(cast, yes_no, planted_case(yes_no, True, f"i-{n}")) for cast in (clear, sloppy))
        assert isinstance(first, JudgeResult)
        assert isinstance(second, Unjudged) or second.opinion == first.opinion


def test_a_simulated_judge_refuses_a_real_subject_in_one_line() -> None:
    with pytest.raises(InputError, match=r"item 'i-1': .* name a real judge: --judge") as caught:
        judge(Simulation("simulated/judge"), rubric(), case())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "planted"), [(Score(), 1.2), (Score(), "yes"), (YES_NO, "maybe"), (LABELS, True), (LABELS, 0.5)]
)
def test_what_is_no_verdict_cannot_be_planted(answer: AnswerFormat, planted: Planted) -> None:
    with pytest.raises(InputError, match="planted is"):
        rubric(answer).key(planted, unit="u")


@pytest.mark.parametrize(("many", "planted"), [(False, {"a": True}), (True, True), (True, {}), (False, {})])
def test_what_is_planted_fits_the_rubrics_ids(many: bool, planted: Planted | dict[str, Planted]) -> None:
    with pytest.raises(InputError, match="ids are"):
        rubric(YES_NO, many=many).key(planted, unit="u")


@pytest.mark.parametrize(
    ("answer", "planted", "lure", "word"), [(Score(), 0.1, 1, "1.00"), (YES_NO, False, True, "yes")]
)
def test_a_gullible_judge_says_what_the_text_asks_for(
    answer: AnswerFormat, planted: Planted, lure: Planted, word: str
) -> None:
    plain = case()
    key = rubric(answer).key(planted, unit="u", lure=lure)
    cast = Simulation("simulated/judge:gullible=1,format_error=0")
    said = judge(cast, rubric(answer), Case(values=plain.values, tag=plain.tag, key=key))
    assert isinstance(said.events[-1], ReplyEvent)
    assert said.events[-1].planted == word
