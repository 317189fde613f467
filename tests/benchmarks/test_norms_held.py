"""Open answers held against norms: CultureForest's hard form, and the ladder's rung of applying."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark, Setting, summarise
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.core.verdict import Graded, Ungraded, Verdict, VoteSummary
from mores.core.verdict_table import VerdictTable
from mores.models.request import PART_SEPARATOR, Request
from mores.tables.missing_texts import format_missing
from tests.benchmarks.plays import Open, Script, figure, figures_of, perform, setting_of, tiny, verdicts_of
from tests.benchmarks.test_cultureforest import HARD, INFORMED, Row, forest, norm_row, question_row
from tests.stats.by_definition import norm_score, norm_slots

APPLY = "ladder/apply"
CALM = "format_error=0,refusal=0,noise=0,sensitivity=1,specificity=1"


def judged_by(setting: Setting, judge: str) -> Setting:
    return replace(setting, roles={"subject": "openai/subject", "judge": judge})


def says(choice: str, reason: str = "Because.") -> str:
    return f'{{"reason":"{reason}","choice":"{choice}"}}'


def played(name: str, judge: str, subject: str = "I would ask first.", **changes: Any) -> tuple[list[Request], Any]:
    """What was asked of whom, and all plays, where the subject and the judge always say the same."""
    benchmark, setting, items = tiny(name, **changes)
    asked: list[Request] = []

    def say(request: Request) -> str:
        asked.append(request)
        return judge if request.tag.role == "judge" else subject

    return asked, perform(benchmark, judged_by(setting, "openai/judge"), items, Script(say))


def large(home: Path, places: int = 12, questions: int = 30) -> Path:
    """A forest of many questions, each with norms of its own, of which the first of every three is strict."""
    names = ["Japan", "Germany", "Nigeria", "Brazil", "Mexico", "Peru", "Poland", "Turkey", "Samoa", "Indonesia",
             "India", "Ethiopia"][:places]  # fmt: skip
    norms: list[Row] = []
    rows: dict[str, Sequence[Row]] = {}
    for place in names:
        rows[place] = [
            question_row(f"{place}-{n}", norms=[f"{place}-{n}-{k}" for k in range(3)]) for n in range(questions)
        ]
        norms += [
            norm_row(f"{place}-{n}-{k}", country=place, acceptability="No" if k == 0 else "Sometimes")
            for n in range(questions)
            for k in range(3)
        ]
    return forest(home, rows, norms)


def test_the_question_names_none_of_its_norms_and_each_norm_is_judged_by_a_call_of_its_own() -> None:
    benchmark, _, items = tiny(HARD)
    asked, done = played(HARD, says("satisfied"))
    statements = {norm.statement for item in items for norm in item.norms}
    for request in asked:
        words = " ".join(message.content for message in request.messages)
        named = [statement for statement in statements if statement in words]
        assert len(named) == (1 if request.tag.role == "judge" else 0)
    assert len(done) == 3 * len(items)
    assert benchmark.tasks == ("norm",)


def test_what_a_run_will_cost_takes_a_judge_to_read_an_answer_and_no_limit_full_of_thinking() -> None:
    benchmark, setting, items = tiny(HARD)
    assert setting.protocol.sampling.max_tokens == 65_536
    judging = benchmark.outline(items[0], judged_by(setting, "openai/judge"))["judge"]
    assert 1_000 < judging.input_tokens / judging.calls < 4_000


def test_the_informed_form_tells_all_three_norms_and_has_the_same_ids() -> None:
    benchmark = catalogue.load(INFORMED)
    data = tiny(HARD)[1].data
    setting = setting_of(benchmark, data, settings={"level": "hard", "verdicts": "auto"})
    plain, told = tiny(HARD)[2], benchmark.items(setting)
    assert [item.about for item in told] == [item.about for item in plain]
    assert all(norm.statement in item.render() for item in told for norm in item.norms)  # type: ignore[attr-defined]
    assert benchmark.roles(setting.protocol) == ("subject", "judge")
    assert any("share of norms kept to" in remark for remark in benchmark.remarks(judged_by(setting, "verifier/x")))


def test_an_answer_without_words_leaves_its_norms_open_and_nobody_is_asked_about_it() -> None:
    asked, done = played(HARD, says("satisfied"), subject="  ")
    assert {request.tag.role for request in asked} == {"subject"}
    verdicts = [verdict for _, given in done for verdict in given]
    assert all(
        isinstance(v, Graded) and (v.points, v.label, v.fault) == (0, "neutral", "format_error") for v in verdicts
    )
    benchmark, setting, _ = tiny(HARD)
    found = summarise(benchmark, VerdictTable(verdicts), setting)
    assert figure(found, "norm_score").value == -50.0  # every norm open: -beta
    assert figure(found, "neutral").value == 1.0


def test_a_judge_without_log_probabilities_is_asked_five_times_and_the_verdict_is_marked_hard() -> None:
    asked, done = played(HARD, says("violated", "It breaks it."))
    verdict = done[0][1][0]
    assert verdict.ballot == VoteSummary(
        votes=5, asked=5, words=4, label_probs={"satisfied": 0.0, "neutral": 0.0, "violated": 1.0}, hard=True
    )
    assert (verdict.label, verdict.points, verdict.reason) == ("violated", 0.0, "It breaks it.")
    assert len([r for r in asked if r.tag.role == "judge"]) == 5 * 3 * len(done)
    benchmark, setting, _ = tiny(HARD)
    assert any("Hard-label" in remark for remark in benchmark.remarks(judged_by(setting, "openai/judge")))
    assert not any("Hard-label" in remark for remark in benchmark.remarks(judged_by(setting, "verifier/x")))


def test_a_judge_that_cannot_be_read_leaves_the_norm_ungraded_with_both_bounds() -> None:
    benchmark, setting, _ = tiny(HARD)
    _, done = played(HARD, "Well, it depends.")
    verdicts = [verdict for _, given in done for verdict in given]
    assert all(isinstance(v, Ungraded) and v.cause == "judge: not JSON" for v in verdicts)
    whole = figure(summarise(benchmark, VerdictTable(verdicts), setting), "norm_score")
    assert (whole.value, whole.graded, format_missing(whole.missing)) == (None, 0, "nothing graded")
    some = [*verdicts[1:], good(verdicts[0].about)]
    whole = figure(summarise(benchmark, VerdictTable(some), setting), "norm_score")
    assert whole.worst is not None
    assert whole.best is not None
    assert whole.worst < 0 < whole.best
    assert whole.graded == 1


def test_the_best_of_samples_has_both_bounds_where_a_verdict_failed() -> None:
    benchmark, setting, _ = tiny(HARD)
    _, done = played(HARD, says("violated"))
    verdicts = [verdict for _, given in done for verdict in given]
    first = verdicts[0]
    lost = [Ungraded(about=first.about, sample=first.sample, task="norm", cause="judge: not JSON"), *verdicts[1:]]
    whole = figure(summarise(benchmark, VerdictTable(lost), setting), "norm_score_passed")
    # All norms are broken; the lost sample may have kept to its norm, which then lifts one slot of all weights W by
    # twice its own.
    weights = {v.about.unit: {"no": 1.0, "sometimes": 0.5}[v.about.groups["strictness"]] for v in verdicts}
    lifted = -100 + 200 * weights[first.about.unit] / sum(weights.values())
    assert (whole.value, whole.worst) == (-100, -100)
    assert whole.best == pytest.approx(lifted, abs=1e-6)


def test_a_figure_without_an_interval_says_why() -> None:
    benchmark, setting, _ = tiny(HARD)
    _, done = played(HARD, says("violated"))
    found = summarise(benchmark, VerdictTable(verdict for _, given in done for verdict in given), setting)
    assert [each.metric for each in found if each.low is None and not each.missing] == []


def good(about: ItemMetadata, sample: int = 0) -> Graded:
    shares = {"satisfied": 1.0, "neutral": 0.0, "violated": 0.0}
    return Graded(about=about, sample=sample, task="norm", points=1.0, label="satisfied",
                  ballot=VoteSummary(votes=1, asked=1, words=3, label_probs=shares))  # fmt: skip


def test_the_score_is_the_one_of_its_definition() -> None:
    benchmark, setting, items = tiny(HARD)
    done = verdicts_of(benchmark, setting, items, Open("simulated/typical"))
    slots: dict[tuple[str, str], list[list[float]]] = {}
    for verdict in done:
        assert isinstance(verdict, Graded)
        assert verdict.ballot is not None
        assert verdict.ballot.label_probs is not None
        key = (verdict.about.item, verdict.about.part)
        slots.setdefault(key, []).append([verdict.ballot.label_probs[x] for x in ("satisfied", "neutral", "violated")])
    strict = {(v.about.item, v.about.part): v.about.groups["strictness"] for v in done}
    given = [[slots[key][sample] for key in slots] for sample in range(3)]
    expected = norm_score(norm_slots(given, [strict[key] for key in slots]))
    found = summarise(benchmark, VerdictTable(done), setting)
    assert figure(found, "norm_score").value == pytest.approx(expected.mean)
    assert figure(found, "norm_score_passed").value == pytest.approx(expected.passed)


def test_the_shares_of_the_three_labels_add_up_to_one() -> None:
    benchmark, setting, items = tiny(HARD)
    found = figures_of(benchmark, setting, items, Open("simulated/novice"))
    for group in ({}, {"place": "JP"}, {"strictness": "no"}):
        parts = [figure(found, name, **group).value for name in ("accuracy", "neutral", "violated")]
        assert sum(part or 0.0 for part in parts) == pytest.approx(1.0)


def of_seed(benchmark: Benchmark, data: Path, seed: int, subject: str) -> tuple[Estimate, ...]:
    setting = replace(setting_of(benchmark, data, samples=1), seed=Seed(f"seed-{seed}"))
    return figures_of(benchmark, setting, benchmark.items(setting), Open(subject, seed=f"seed-{seed}"))


@pytest.mark.parametrize(("seeds", "least"), [(8, 6), pytest.param(24, 20, marks=pytest.mark.soak)])
def test_planted_shares_and_scores_are_recovered_within_their_intervals(seeds: int, least: int, tmp_path: Path) -> None:
    """Knowing 0.5 of what is applied with chance 0.8, and guessing among three ways otherwise."""
    benchmark, data = catalogue.load(HARD), large(tmp_path / "forest")
    known = 0.5 * 0.8
    kept = known + (1 - known) / 3
    score = 100 * (kept - 0.5 * (1 - known) / 3 - (1 - known) / 3)
    inside = {"accuracy": 0, "norm_score": 0}
    for seed in range(seeds):
        found = of_seed(benchmark, data, seed, f"simulated/typical:apply=.5,apply_known=.8,{CALM}")
        for metric, truth in (("accuracy", kept), ("norm_score", score)):
            whole = figure(found, metric)
            assert whole.low is not None
            assert whole.high is not None
            inside[metric] += whole.low <= truth <= whole.high
    assert min(inside.values()) >= least  # 95 % of 24 is 22.8; 20 or fewer has a chance of 3 in 100 there


def test_a_judge_that_errs_moves_the_share_as_its_errors_say(tmp_path: Path) -> None:
    """Every answer keeps to every norm; the judge sees it with chance 0.8 and else says one of the others."""
    benchmark, data = catalogue.load(HARD), large(tmp_path / "forest")
    plant = "apply=1,apply_known=1,format_error=0,noise=0,sensitivity=.8,specificity=1"
    whole = figure(of_seed(benchmark, data, 1, f"simulated/typical:{plant}"), "accuracy")
    assert whole.low is not None
    assert whole.high is not None
    assert whole.low <= 0.8 <= whole.high


def test_each_norm_of_a_simulated_answer_is_known_or_not_on_its_own() -> None:
    benchmark, setting, items = tiny(HARD)
    kinds = set()
    for transcript, _ in perform(benchmark, setting, items, Open(f"simulated/typical:{CALM}")):
        answered = transcript.events[1]
        parts = str(answered.planted).split(PART_SEPARATOR)  # type: ignore[union-attr]
        assert len(parts) == 3
        kinds.add(tuple(parts))
    assert len(kinds) > 3


def test_places_lie_apart_as_planted_and_not_where_nothing_is_planted(tmp_path: Path) -> None:
    benchmark, data = catalogue.load(HARD), large(tmp_path / "forest")
    uneven = "JP.apply=.05,DE.apply=.05,NG.apply=.05"
    apart = of_seed(benchmark, data, 3, f"simulated/typical:apply=.95,apply_known=1,{uneven},{CALM}")
    alike = of_seed(benchmark, data, 3, f"simulated/typical:apply=.6,apply_known=1,{CALM}")
    gaps = {
        name: [figure(found, name).value or 0 for found in (apart, alike)] for name in ("region_gap", "region_gap_null")
    }
    assert gaps["region_gap"][0] > 2 * gaps["region_gap_null"][0]
    assert gaps["region_gap"][1] < 1.5 * gaps["region_gap_null"][1]
    assert "p = " in format_missing(figure(alike, "region_gap").missing)


def test_a_norm_without_a_known_strictness_is_refused() -> None:
    benchmark, setting, _ = tiny(HARD)
    about = ItemMetadata(item="i", unit="i/n", cluster="n", place="JP", groups={"strictness": "perhaps"}, part="n")
    with pytest.raises(InputError, match="strictness 'perhaps'"):
        summarise(benchmark, VerdictTable([good(about)]), setting)


def test_a_bundle_of_the_ladder_gives_a_verdict_on_each_of_its_norms_by_the_norms_own_name() -> None:
    benchmark, setting, items = tiny(APPLY)
    done = verdicts_of(benchmark, setting, items, Open(f"simulated/expert:{CALM}"))
    assert {verdict.about.unit for verdict in done} == {norm.about.part for item in items for norm in item.norms}
    assert all(verdict.about.unit == verdict.about.part for verdict in done)


def test_verdicts_of_several_samples_come_back_to_one_row_a_norm() -> None:
    benchmark, setting, items = tiny(HARD)
    done: list[Verdict] = verdicts_of(benchmark, setting, items, Open("simulated/typical"))
    ledger = VerdictTable(done)
    assert len(ledger.item_metadata) == 3 * len(items)
    assert len(done) == 9 * len(items)
