"""What a run could show and would cost, before it is made."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from mores.analysis.power import PlanRequest, pilot_of
from mores.benchmarks.ladder.planning import plan_of_ladder
from mores.cli.app import app
from mores.core.errors import InputError
from mores.core.verdict import Graded, Verdict
from mores.runs.cost_estimate import BenchmarkPlan, estimate, plan_of, unit_design
from mores.runs.loading import read_results
from mores.runs.spec import Spec
from mores.stats.power import PowerAnalysis
from mores.tables.missing_texts import format_missing
from tests.bundled import COUNTED, LIVED, PACK, SOME
from tests.conftest import write_cultural
from tests.reports.conftest import Held
from tests.reports.made import Made, about, run_of

Screen = pytest.CaptureFixture[str]


def easy(folder: Path, questions: int) -> Spec:
    write_cultural(folder, questions)
    return Spec(benchmarks=("culturalbench/easy",), data=str(folder))


def planned(spec: Spec, **wanted: float) -> BenchmarkPlan:
    return plan_of(spec, PlanRequest(**wanted))


@pytest.mark.parametrize(("units", "discordance", "least"), [(100, 0.1, 0.0885), (100, 0.2, 0.1277), (60, 0.3, 0.2005)])
def test_what_a_benchmark_can_show_is_what_the_exact_test_finds(
    tmp_path: Path, units: int, discordance: float, least: float
) -> None:
    found = planned(easy(tmp_path, units), discordance=discordance)
    assert (found.units, found.clusters, found.available) == (units, units, units)
    assert found.detectable == pytest.approx(least, abs=6e-4)
    assert PowerAnalysis(discordance=discordance).power_for(least + 1e-3, units) >= 0.8


def test_clusters_and_a_judge_weaken_what_it_can_show() -> None:
    basis = planned(Spec(benchmarks=("ladder/apply",)), discordance=0.2, design_effect=1.5, judge_quality=0.8).basis
    # 2.802 sqrt(.2 · 1.5 / 100) / .8 = .192 by the normal formula
    assert basis.detectable([f"c{n // 2}" for n in range(100)]) == pytest.approx(0.2, abs=0.01)


def test_a_judge_that_nobody_asks_weakens_nothing(tmp_path: Path) -> None:
    found = planned(easy(tmp_path, 40), judge_quality=0.5)
    assert found.basis.judge_quality == (1.0, "nobody judges")
    judged = planned(Spec(benchmarks=("ladder/explain",)))
    assert judged.basis.judge_quality.source.startswith("assumed")
    assert planned(Spec(benchmarks=("ladder/explain",)), judge_quality=0.5).detectable == pytest.approx(
        2 * (judged.detectable or 0)
    )


def test_a_difference_takes_units_and_the_calls_that_a_run_of_as_many_would_make(tmp_path: Path) -> None:
    spec = easy(tmp_path, 200)
    (need,) = planned(spec, difference=0.1).needs
    assert need.units == PowerAnalysis(discordance=0.2).units_needed(0.1) == 168
    assert need.enough
    (asked,) = estimate(Spec(benchmarks=spec.benchmarks, data=spec.data, limit=168))
    assert need.evaluations == (asked,)
    assert asked.calls == {"subject": 168}


def test_an_answer_held_against_several_norms_counts_for_each(tmp_path: Path) -> None:
    _ = tmp_path
    found = planned(Spec(benchmarks=("ladder/apply",)), difference=0.3)
    (need,) = found.needs
    assert (found.units, found.clusters) == (len(LIVED), len(PACK.bundles))
    # Nearly three norms to an answer, as some are contested; the limit counts answers.
    assert need.evaluations[0].calls["subject"] == -(-need.units * len(PACK.bundles) // len(LIVED))


def test_more_units_than_there_are_is_said_and_what_would_do_instead(tmp_path: Path) -> None:
    (need,) = planned(easy(tmp_path, 24), difference=0.1).needs
    # At temperature 0 further answers are the same answers.
    assert (need.units, need.enough, need.samples, need.evaluations) == (168, False, None, ())
    size = 0.055
    wanted, halved = (PowerAnalysis(discordance=share).units_needed(size) for share in (0.2, 0.15))
    assert halved <= COUNTED < wanted
    (talk,) = planned(Spec(benchmarks=("ladder/converse",)), difference=size).needs
    # More norms are wanted than there are: two answers leave .2 · (.5 + .5/2) = .15 of the discordance.
    assert (talk.units, talk.enough, talk.samples) == (wanted, False, 2)


def test_a_difference_larger_than_the_discordance_raises_it(tmp_path: Path) -> None:
    (need,) = planned(easy(tmp_path, 24), difference=0.5).needs
    assert need.units == PowerAnalysis(discordance=0.5).units_needed(0.5)


def test_places_with_too_few_units_are_named_and_do_not_count_in_the_family(tmp_path: Path) -> None:
    found = planned(easy(tmp_path, 30), discordance=1)  # four places: two of 8, two of 7
    few = {part.units: format_missing(part.missing) or None for part in found.parts}
    assert few == {8: None, 7: "too few clusters: 7, at least 8 are needed"}
    assert found.family == 2
    able = [part for part in found.parts if part.missing is None]
    assert all(part.detectable == PowerAnalysis(discordance=1).least_difference(8) for part in able)
    assert all((part.detectable_holm or 0) >= (part.detectable or 0) for part in able)


def test_a_place_of_few_norms_is_promised_nothing_among_many() -> None:
    """At a discordance of .2 they cannot differ by the .26 of a normal formula, and no p is so small."""
    found = planned(Spec(benchmarks=("ladder/explain",)))
    able = [part for part in found.parts if 8 <= part.clusters <= 10]
    # Behind the whole they do not count against the groups that are large enough.
    assert len(able) > 15
    assert found.family > 5
    assert {(part.detectable, part.detectable_holm) for part in able} == {(None, None)}
    assert {format_missing(part.missing) for part in able} == {"so few units cannot show any difference"}
    assert found.places is not None
    assert (found.places.family, found.places.largest) == (found.family, 0.2)
    assert found.places.units == PowerAnalysis(discordance=0.2, alpha=0.05 / found.family).units_needed(0.2)
    wide = planned(Spec(benchmarks=("ladder/explain",)), discordance=0.9)
    assert {part.detectable_holm for part in wide.parts if part.clusters == 8} == {None}
    assert all(part.detectable is not None and part.detectable <= 0.9 for part in wide.parts if part.clusters >= 8)


def test_clusters_of_a_place_widen_by_their_own_size() -> None:
    found = planned(Spec(benchmarks=("ladder/apply",)))
    home = {norm.id: bundle.id for bundle in PACK.bundles for norm in bundle.norm}
    sizes = Counter(home[norm] for norm in LIVED)
    # Two or three norms to a bundle, alike by .2: 1 + (Σ n² / Σ n − 1) · .2
    mean = sum(size**2 for size in sizes.values()) / sizes.total()
    assert found.basis.design_effect.value == pytest.approx(1 + 0.2 * (mean - 1))
    assert planned(Spec(benchmarks=("ladder/apply",)), design_effect=2.5).basis.design_effect == (2.5, "given")


def pair(folder: Path, points: Sequence[Sequence[float]], samples: int = 1, each: int = 1) -> Path:
    """A run of models with some points on each unit, and so many units to a cluster."""

    def verdicts(row: Sequence[float]) -> list[Verdict]:
        return [
            Graded(about=about(f"i{n}", cluster=f"c{n // each}"), sample=s, task="strict", points=value, label="yes",
                   gold="yes")
            for n, own in enumerate(np.reshape(row, (-1, samples)).tolist()) for s, value in enumerate(own)
        ]  # fmt: skip

    made = [Made(model=f"m/{n}", benchmark="odd/tea", verdicts=verdicts(row), figures={"accuracy": 0.5})
            for n, row in enumerate(points)]  # fmt: skip
    return run_of(folder, *made)


def test_two_models_of_an_earlier_run_tell_how_often_models_differ(tmp_path: Path) -> None:
    run = pair(tmp_path / "run", [[1, 1, 1, 0, 0] * 4, [1, 1, 0, 0, 1] * 4])
    found = pilot_of(read_results([run]).evaluations)
    assert found is not None
    assert found.discordance == pytest.approx(0.4)
    assert (found.stable, found.alike) == (None, None)
    assert "1 pair of models" in found.source


def test_one_model_is_held_against_another_as_good_that_errs_independently(tmp_path: Path) -> None:
    found = pilot_of(read_results([pair(tmp_path / "run", [[1, 1, 1, 0] * 5])]).evaluations)
    assert found is not None
    assert found.discordance == pytest.approx(2 * 0.75 * 0.25)
    assert "independently" in found.source


def test_several_samples_tell_what_lasts(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    chance = np.where(rng.random((2, 4000)) < 0.5, 0.9, 0.3)
    drawn = (rng.random((2, 4000, 4)) < chance[:, :, None]).astype(float)
    run = pair(tmp_path / "run", [row.ravel().tolist() for row in drawn], samples=4)
    found = pilot_of(read_results([run]).evaluations)
    assert found is not None
    lasting, single = np.mean((chance[0] - chance[1]) ** 2), np.mean((drawn[0, :, 0] - drawn[1, :, 0]) ** 2)
    assert found.discordance == pytest.approx(single, abs=0.02)
    assert found.stable == pytest.approx(lasting / single, abs=0.05)


def test_units_of_a_cluster_tell_how_alike_they_are(tmp_path: Path) -> None:
    halves = [1.0] * 40 + [0.0] * 40
    run = pair(tmp_path / "run", [halves, [1.0] * 80], each=4)
    found = pilot_of(read_results([run]).evaluations)
    assert found is not None
    assert found.alike == pytest.approx(1.0)


def test_models_without_a_difference_say_nothing(tmp_path: Path) -> None:
    assert pilot_of(read_results([pair(tmp_path / "run", [[1, 0] * 9, [1, 0] * 9])]).evaluations) is None


def test_earlier_runs_replace_assumptions_and_what_was_given_replaces_both(held: Held) -> None:
    run = held("ladder/know", places=SOME, models=("simulated/typical:person=1", "simulated/typical:person=2"))
    pilot = pilot_of(read_results([run]).evaluations)
    spec = Spec(benchmarks=("ladder/know",))
    seen = plan_of(spec, PlanRequest(), pilot).basis.discordance
    assert pilot is not None
    assert seen == (pilot.discordance, pilot.source)
    assert plan_of(spec, PlanRequest(discordance=0.3), pilot).basis.discordance == (0.3, "given")


RUNGS = {name: Spec(benchmarks=(name,)) for name in ("ladder/know", "ladder/judge", "ladder/explain", "ladder/apply")}
ASKED = {name: unit_design(spec) for name, spec in RUNGS.items()}


def test_the_ladder_says_how_many_items_a_norm_and_rung() -> None:
    plans = plan_of_ladder(ASKED, PlanRequest(), None)
    _, judge, explain = plans
    assert [(p.before, p.after) for p in plans] == [
        ("know", "judge"), ("judge", "explain"), ("explain", "apply")
    ]  # fmt: skip
    whole = judge.steps[0]
    assert (whole.kind, whole.norms) == ("", COUNTED)
    # Of a drop between two rungs that nobody judges it is 10 points and what sampling asks: a third of what is judged
    # is guessed, so that differences of shares are stretched by 1 / (1 - 1/3).
    error = 1.5 * (0.2 / COUNTED) ** 0.5
    least = plans[0].steps[0].detectable
    assert least == pytest.approx(0.1 + 0.8416 * error, abs=0.006)
    assert plans[0].unlimited is None
    # Reasons are judged: at .875 each rate .125 + .75 t passes, which a judge of .75 and 1 has as t + 1/6.
    assert whole.detectable is not None
    assert judge.unlimited == pytest.approx(0.1 + 1 / 6, abs=0.006)
    assert judge.unlimited is not None
    assert whole.detectable > judge.unlimited
    assert judge.labelled is not None
    assert judge.labelled < (whole.detectable_holm or 0)
    # All norms come first: three pairs of rungs. On apply three norms share a task, so that few places can be tested.
    assert {plan.family for plan in plans} == {3}
    assert (judge.steps[1].kind, judge.steps[1].detectable_holm) == ("domain", None)
    groups = {(step.kind, step.group): step for step in explain.steps[1:]}
    assert format_missing(groups["place", "KE"].missing) == "too few for a claim: 6 norms in 3 clusters, 8 are needed"
    assert groups["place", "KE"].items is None


def test_more_items_to_a_norm_let_a_smaller_drop_be_seen() -> None:
    large, small = (plan_of_ladder(ASKED, PlanRequest(difference=size), None)[0].steps[0] for size in (0.3, 0.12))
    assert large.items == 1
    assert small.items is not None
    assert small.items > 1
    assert small.detectable is not None
    assert small.detectable_holm is not None
    assert 0.12 < small.detectable <= small.detectable_holm < 0.3


def test_a_drop_of_the_size_that_a_break_must_exceed_is_never_promised() -> None:
    assert plan_of_ladder(ASKED, PlanRequest(difference=0.1), None)[0].steps[0].items is None


def test_a_judge_that_is_known_lets_smaller_drops_be_seen() -> None:
    stated, known = (plan_of_ladder(ASKED, PlanRequest(judge_quality=j), None)[1] for j in (None, 0.75))
    assert known.steps[0].detectable is not None
    assert stated.steps[0].detectable is not None
    assert known.steps[0].detectable < stated.steps[0].detectable


def test_an_earlier_climb_tells_how_far_norms_differ_between_rungs(held: Held) -> None:
    run = held("ladder/know", "ladder/judge", places=SOME)
    basis = plan_of_ladder(ASKED, PlanRequest(), read_results([run]))[0].basis
    assert basis.discordance.source == "from norms on both rungs in earlier runs"


def typed(*words: str) -> None:
    app(["plan", *words], standalone_mode=False)


def test_people_get_assumptions_needs_and_places_in_eighty_columns(capsys: Screen) -> None:
    typed("ladder/judge", "ladder/explain", "--difference", ".15")
    out = capsys.readouterr().out
    flat = " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    least = PowerAnalysis(discordance=0.2).least_difference(COUNTED)
    assert least is not None
    assert f"the minimum detectable effect is {100 * least:.1f} points (power 0.8, level 0.05)" in flat
    assert "0.2 (assumed)" in flat
    wanted = PowerAnalysis(discordance=0.2).units_needed(0.15)
    assert f"15.0 points: {wanted} norms; " in flat
    assert "Too few for a claim (under 8 clusters): Bangladesh 7" in flat
    assert "Too few to show a difference even before correction: Australia 22" in flat
    assert "with 8 no result at all can reach p < 0.05/23, at least 10 are needed; 83 scenes would show 20.0" in flat
    assert "ladder/judge → explain: a drop of 15 points above guessing" in flat
    assert "No --model is named, so there is no price" in flat


def test_a_known_model_has_a_price(capsys: Screen, cultural: Path) -> None:
    typed("culturalbench/easy", "--data", str(cultural), "--model", "openai/gpt-4o")
    assert "under $0.01" in " ".join(capsys.readouterr().out.split())


def test_programs_get_one_object(capsys: Screen, cultural: Path) -> None:
    typed("culturalbench/easy", "--data", str(cultural), "--difference", ".3", "--json")
    (found,) = json.loads(capsys.readouterr().out)["plans"]
    assert found["benchmark"] == "culturalbench/easy"
    assert found["basis"]["discordance"] == [0.2, "assumed"]
    assert found["needs"][0]["evaluations"] == []
    assert len(found["parts"]) == 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--difference", "2"], "expected a difference within it"),
        (["--difference", "-1"], "--difference"),
        (["--discordance", "1.5"], "--discordance"),
        (["--judge-quality", "0"], "--judge-quality"),
        (["--power", "2"], "power"),
        (["--places", ","], "--places"),
        (["--role", "judge"], "--role judge: expected NAME=VALUE"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_a_line(cultural: Path, words: list[str], told: str) -> None:
    with pytest.raises(InputError, match=told) as refused:
        typed("culturalbench/easy", "--data", str(cultural), *words)
    assert "\n" not in str(refused.value)


def test_runs_of_other_benchmarks_tell_nothing_and_are_refused(held: Held, cultural: Path) -> None:
    run = held("ladder/know", limit=9)
    with pytest.raises(InputError, match="expected one of culturalbench/easy"):
        typed("culturalbench/easy", "--data", str(cultural), "--from", str(run))


def test_a_real_subject_needs_its_judge_as_in_a_run() -> None:
    with pytest.raises(InputError, match="--judge SPEC"):
        typed("ladder/explain", "--model", "openai/gpt-4o")
