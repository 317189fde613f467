"""Norms on the one scale of the ladder: what knows, guesses, slips, or always says the same word."""

from collections.abc import Sequence
from math import isnan
from typing import Any, NamedTuple

import numpy as np
import pytest
from msgspec import structs

from mores.analysis.controls import KEPT
from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Setting
from mores.benchmarks.ladder.scores import SEEN, steps_judged
from mores.core.estimate import MetricRows
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, JudgeAnswer, Ungraded, Verdict, Vote, VoteSummary
from mores.core.verdict_table import VerdictTable
from mores.models.request import Reply, Request
from tests.benchmarks.plays import Say, Script, setting_of, verdicts_of

TRUTH = ("true", "false", "false", "false")
UNREAD, DECLINED = "format_error", "refusal"
BALLOT = VoteSummary(votes=1, asked=1, words=9)


def graded(task: str, points: float, norm: str = "n", **more: Any) -> Graded:
    about = ItemMetadata(item=more.pop("item", norm), unit=norm, cluster=norm, groups={"strictness": "no"})
    return Graded(about=about, sample=more.pop("sample", 0), task=task, points=points, **more)


def labelled(word: str) -> dict[str, str]:
    """What a verdict says of an answer: its label, or what hides it."""
    return {"fault": word} if word in {UNREAD, DECLINED} else {"label": word}


def statements(said: Sequence[str]) -> list[Verdict]:
    return [
        graded("lenient", float(word == truth), item=f"n-{number}", gold=truth, **labelled(word))
        for number, (word, truth) in enumerate(zip(said, TRUTH, strict=True))
    ]


class Got(NamedTuple):
    said: float
    seen: float = 0.0
    gold: str = ""


def scored(rung: str, verdicts: Sequence[Verdict]) -> MetricRows:
    benchmark = catalogue.load(f"ladder/{rung}")
    setting = Setting(data=None, protocol=benchmark.card.protocol, seed=Seed("test"))
    rows = benchmark.also[KEPT].rows(benchmark.scoring(setting).source(VerdictTable(verdicts)))  # type: ignore[attr-defined]
    assert isinstance(rows, MetricRows)
    return rows


def one(rung: str, verdicts: Sequence[Verdict]) -> Got:
    rows = scored(rung, verdicts)
    assert rows.keys.unit.texts() == ["n"]
    assert rows.least[0] <= np.nan_to_num(rows.value[0]) <= rows.most[0]
    return Got(rows.value[0], rows.extra[SEEN][0], rows.gold.texts()[0] if rows.gold else "")


@pytest.mark.parametrize(
    ("said", "score"),
    [(TRUTH, 1.0), (("true",) * 4, 0.0), (("false",) * 4, 0.0), (("true", "true", "false", "false"), 2 / 3)],
)
def test_a_norm_is_known_as_far_as_true_and_false_are_told_apart(said: Sequence[str], score: float) -> None:
    assert one("know", statements(said)).said == pytest.approx(score)


def test_slips_cost_as_much_as_one_label_of_two_does() -> None:
    rng, slip = np.random.default_rng(2), 0.1
    flipped = {"true": "false", "false": "true"}
    said = ([flipped[t] if rng.random() < slip else t for t in TRUTH] for _ in range(2000))
    assert np.mean([one("know", statements(each)).said for each in said]) == pytest.approx(1 - 2 * slip, abs=0.02)


def test_a_norm_with_one_kind_of_statement_has_no_score() -> None:
    assert isnan(one("know", statements(TRUTH)[1:]).said)


def test_a_scene_is_scored_above_guessing_and_keeps_its_label() -> None:
    assert one("judge", [graded("lenient", 1.0, label="neutral", gold="neutral")]) == Got(1.0, 0.0, "neutral")
    assert one("judge", [graded("lenient", 0.0, label="yes", gold="no")]).said == -0.5


@pytest.mark.parametrize("fault", [UNREAD, DECLINED])
def test_who_only_breaks_off_or_declines_stands_at_guessing(fault: str) -> None:
    assert one("know", statements([fault] * 4)).said == 0
    assert one("judge", [graded("lenient", 0.0, fault=fault, gold="no")]).said == pytest.approx(0)


def test_who_is_wrong_on_all_stands_at_the_bottom() -> None:
    assert one("know", statements(("false", "true", "true", "true"))).said == -1
    assert one("judge", [graded("lenient", 0.0, label="no", gold="yes")]).said == -0.5


def test_an_omitted_answer_counts_half_in_the_share_of_its_kind() -> None:
    # True: omitted, .5 of 1. False: two right and one omitted, 2.5 of 3. Together 1/2 + 5/6 - 1 = 1/3.
    assert one("know", statements((UNREAD, "false", "false", DECLINED))).said == pytest.approx(1 / 3)


def test_an_omitted_answer_lies_between_a_right_and_a_wrong_one() -> None:
    wrong, omitted, right = (one("know", statements((said, *TRUTH[1:]))).said for said in ("false", UNREAD, "true"))
    assert (wrong, omitted, right) == (0.0, 0.5, 1.0)


class Cut(Script):
    """A door whose answers all end at the limit."""

    async def ask(self, request: Request) -> Reply:
        return structs.replace(await super().ask(request), finish="length")


def test_an_answer_cut_after_its_label_is_read_and_one_cut_before_it_is_omitted() -> None:
    benchmark = catalogue.load("ladder/know")
    setting = setting_of(benchmark, None)
    norm = benchmark.items(setting)[:4]

    def kept(say: Say) -> list[float]:
        source = benchmark.scoring(setting).source(VerdictTable(verdicts_of(benchmark, setting, norm, Cut(say))))
        return benchmark.also[KEPT].rows(source).value.tolist()  # type: ignore[attr-defined, no-any-return]

    assert kept(lambda _: "Let me think about what people there") == [0]
    assert kept(lambda request: f"{request.key.truth.title()}, as the") == [1]  # type: ignore[union-attr]
    other = {"true": "False, as the", "false": "True, as the"}
    assert kept(lambda request: other[request.key.truth]) == [-1]  # type: ignore[union-attr]


def scenes(*said: tuple[str, str, str]) -> list[Verdict]:
    """Scenes of norms: the norm, the scene's label and what was said."""
    return [
        graded("lenient", float(word == gold), norm, item=f"{norm}-{n}", gold=gold, **labelled(word))
        for n, (norm, gold, word) in enumerate(said)
    ]


def test_each_scene_keeps_its_own_label_whatever_norm_it_is_of() -> None:
    rows = scored("judge", scenes(("n", "yes", "yes"), ("n", "neutral", "no"), ("m", "no", UNREAD)))
    assert rows.keys.unit.texts() == ["n", "n", "m"]
    assert rows.gold is not None
    assert rows.gold.texts() == ["yes", "neutral", "no"]
    assert rows.value.tolist() == pytest.approx([1.0, -0.5, 0.0])


@pytest.mark.parametrize(
    ("label", "reasons", "said", "seen"),
    [(1.0, 0.5, 1.0, 1.0), (1.0, 0.49, 0.0, 1.0), (0.0, 0.9, 0.0, 0.0)],
)
def test_reasons_decide_where_the_label_is_right(label: float, reasons: float, said: float, seen: float) -> None:
    found = one("explain", [graded("label", label), graded("coverage", reasons, ballot=BALLOT)])
    assert (found.said, found.seen) == (said, seen)


@pytest.mark.parametrize("points", [0.55, 0.97])
def test_a_probability_counts_as_the_word_that_it_makes_likeliest(points: float) -> None:
    assert one("apply", [graded("norm", points, label="satisfied", ballot=BALLOT)]) == Got(1.0, 1.0)
    assert one("apply", [graded("norm", points, label="neutral", ballot=BALLOT)]) == Got(0.0, 1.0)


def test_an_answer_without_words_was_never_the_judges() -> None:
    assert one("apply", [graded("norm", 0.0, fault="format_error")]) == Got(0.0, 0.0)


def test_a_talk_counts_by_its_norm_whatever_its_goal() -> None:
    lost = [graded("respected", 1.0, label="yes", ballot=BALLOT), graded("behaviour", 2.0, label="2", ballot=BALLOT)]
    assert one("converse", lost) == Got(1.0, 1.0)


def test_samples_are_averaged() -> None:
    said = [
        graded("live", float(s < 3), sample=s, label="respected" if s < 3 else "violated", ballot=BALLOT)
        for s in range(4)
    ]
    assert one("live", said) == Got(0.75, 1.0)


def test_what_failed_has_no_score_and_no_verdict_is_no_norm() -> None:
    about = ItemMetadata(item="n", unit="n", cluster="n", groups={"strictness": "no"})
    failed = Ungraded(about=about, sample=0, task="norm", cause="judge: cut short")
    assert isnan(one("apply", [failed]).said)
    assert len(scored("apply", [graded("goal", 1.0)])) == 0


def test_the_score_of_norms_is_no_figure_and_nothing_that_models_are_compared_by() -> None:
    benchmark = catalogue.load("ladder/know")
    setting = Setting(data=None, protocol=benchmark.card.protocol, seed=Seed("test"))
    scoring = benchmark.scoring(setting)
    scores = scoring.score(VerdictTable(statements(TRUTH)))
    assert KEPT in scores
    assert KEPT not in scores.compared
    assert KEPT not in {estimate.metric for estimate in scoring.estimates(scores, setting.seed)}


def test_steps_are_counted_once_however_many_judge_them() -> None:
    def vote(step: int, judge: str = "judge", draw: int = 0) -> Vote:
        said = {"n": JudgeAnswer(label="respected")}
        return Vote(item="i", sample=0, task="norms", step=step, judge=judge, draw=draw, prompt="", said=said)

    goal = Vote(
        item="i", sample=0, task="goal", step=9, judge="judge", draw=0, prompt="", said={"1": JudgeAnswer(label="no")}
    )
    assert steps_judged([vote(1), vote(1, "judge2"), vote(1, draw=1), vote(4), goal]) == {"n": 2}
