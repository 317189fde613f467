"""One run against another."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mores.analysis.comparison import Compared, Comparison, compare_runs
from mores.core.errors import InputError
from mores.core.estimate import SHOWS_NO_DIFFERENCE
from mores.core.verdict import Graded, VoteSummary
from mores.reports.terminal_compare import print_full_comparison
from mores.reports.two_runs import comparison_as_json
from mores.runs.loading import read_results
from mores.stats.ranks import benjamini_hochberg
from mores.tables.missing_texts import format_caution
from tests.bundled import MANY, counted
from tests.conftest import write_cultural
from tests.reports.conftest import Held
from tests.reports.made import Made, about, explained, run_of, thin

BENCHMARKS = ("ladder/know", "ladder/judge")


@pytest.fixture(scope="module")
def good(held: Held) -> Path:
    return held(*BENCHMARKS, places=MANY, models=("simulated/typical:person=1",), name="good")


@pytest.fixture(scope="module")
def bad(held: Held) -> Path:
    """The same person with less knowledge, above all of one place."""
    return held(*BENCHMARKS, places=MANY, models=("simulated/typical:person=1,know=.5,judge=.4,NG=.1",), name="bad")


def rows_of(made: Comparison) -> Any:
    """What programs read of a comparison."""
    return json.loads(comparison_as_json(made))


def contrast(a: Path, b: Path, *, allow_other_data: bool = False) -> Comparison:
    return compare_runs(read_results([a]), read_results([b]), allow_other_data=allow_other_data)


def test_a_run_does_not_differ_from_itself(good: Path) -> None:
    made = contrast(good, good)
    assert [c.benchmark for c in made.compared] == list(BENCHMARKS)
    for compared in made.compared:
        assert (compared.whole.difference, compared.whole.p) == (0.0, 1.0)
        assert all(place.difference == 0.0 for place in compared.places)
        assert {place.p_adjusted for place in compared.places if place.p is not None} == {1.0}
        assert (compared.only_a, compared.only_b, compared.ungraded) == (0, 0, 0)
    assert made.regressions == ()


def test_a_planted_loss_is_found_and_a_gain_is_no_alarm(good: Path, bad: Path) -> None:
    assert {w.compared.benchmark for w in contrast(good, bad).regressions} == set(BENCHMARKS)
    assert contrast(bad, good).regressions == ()


def test_changing_sides_changes_the_sign_alone(good: Path, bad: Path) -> None:
    for there, back in zip(contrast(good, bad).compared, contrast(bad, good).compared, strict=True):
        assert there.whole.difference == pytest.approx(-(back.whole.difference or 0))
        assert there.whole.low == pytest.approx(-(back.whole.high or 0))
        assert there.whole.p == pytest.approx(back.whole.p)


def test_both_sides_are_the_headlines_of_their_runs(good: Path, bad: Path) -> None:
    found = {run: {c.benchmark: c.overall() for c in read_results([run]).evaluations} for run in (good, bad)}
    for compared in contrast(good, bad).compared:
        for run, mean in ((good, compared.whole.a), (bad, compared.whole.b)):
            whole = found[run][compared.benchmark]
            assert whole is not None
            assert mean == pytest.approx(whole.value)


def test_samples_of_one_item_are_averaged_and_never_counted_as_units(held: Held) -> None:
    a, b = (
        held("ladder/judge", models=(f"simulated/typical:judge={share}",), limit=40, samples=4, temperature=1.0)
        for share in (0.2, 0.3)
    )
    compared = contrast(a, b).compared[0]
    whole = read_results([a]).evaluations[0].overall()
    assert whole is not None
    assert compared.whole.units == whole.graded < 2 * 40  # two scenes a norm, and those that are contested stand apart
    assert compared.whole.a == pytest.approx(whole.value)


def test_groups_are_tested_behind_their_headline_and_for_their_number(good: Path, bad: Path) -> None:
    made = contrast(good, bad).compared
    for compared in made:
        tested = [group for members in compared.families.values() for group in members if group.p is not None]
        able = [group for group in tested if group.able]
        assert 1 <= len(able) < len(tested)
        # Two headlines share the level, and the groups of each its half: as many as could be found at all.
        assert compared.whole.family == len(made) == 2
        assert {group.family for group in tested} == {2 * len(able)}
        assert all(group.opened for group in tested)
        assert all((group.p_adjusted or 0) >= max(group.p or 0, compared.whole.p_adjusted or 0) for group in tested)
    assert any(group.found for compared in made for members in compared.families.values() for group in members)


def test_where_the_headline_is_not_found_no_group_is_claimed(held: Held, good: Path) -> None:
    same = held(*BENCHMARKS, places=MANY, models=("simulated/typical:person=2",), name="same")
    for compared in contrast(good, same).compared:
        assert not compared.found
        groups = [group for members in compared.families.values() for group in members if group.p is not None]
        assert not any(group.opened or group.found for group in groups)
        assert all((group.p_adjusted or 0) >= (compared.whole.p_adjusted or 0) for group in groups)


def test_more_units_let_a_smaller_difference_be_seen(good: Path, bad: Path) -> None:
    for compared in contrast(good, bad).compared:
        seen = [place.minimum_detectable for place in compared.places if place.minimum_detectable is not None]
        assert compared.whole.minimum_detectable is not None
        assert compared.whole.minimum_detectable < np.mean(seen)


def test_items_of_one_run_alone_are_counted_and_left_out(held: Held, good: Path) -> None:
    part = held(*BENCHMARKS, places=MANY, models=("simulated/typical:person=1",), limit=50, name="part")
    for compared in contrast(good, part).compared:
        assert compared.whole.units < 2 * 50
        assert compared.only_b == 0
        assert compared.only_a + compared.whole.units == 2 * counted(MANY)


def test_what_one_run_left_ungraded_is_counted(held: Held, good: Path) -> None:
    broken = held(*BENCHMARKS, places=MANY, models=("simulated/typical:person=1,failure=.1",), name="broken")
    for compared in contrast(good, broken).compared:
        assert compared.ungraded > 0
        assert compared.whole.units + compared.ungraded == 2 * counted(MANY)


def test_several_models_are_paired_by_name(held: Held, ladder: Path, good: Path) -> None:
    made = contrast(ladder, ladder)
    assert len(made.compared) == 4
    assert all(c.a.model == c.b.model for c in made.compared)
    with pytest.raises(InputError, match="one model"):
        contrast(ladder, good)


def test_a_benchmark_of_one_run_alone_is_named(held: Held, good: Path) -> None:
    part = held("ladder/judge", models=("baseline/random",))
    assert contrast(good, part).alone == ("ladder/know",)
    with pytest.raises(InputError, match="both ran"):
        contrast(held("ladder/know", limit=9), part)


Change = Callable[[dict[str, Any]], object]
UNLIKE: dict[str, Change] = {
    "other roles": lambda manifest: manifest["roles"].update(judge="openai/one"),
    "card versions": lambda manifest: manifest["card"].update(version="9-A"),
    r"good ran as its card says, and .*other with temperature 1\.0; expected the same protocol": lambda manifest: (
        manifest.update(departures=[{"setting": "temperature", "published": "0.0", "used": "1.0"}])
    ),
}


@pytest.mark.parametrize("what", UNLIKE)
def test_runs_that_differ_in_more_than_the_subject_are_refused(good: Path, tmp_path: Path, what: str) -> None:
    other = changed(good, tmp_path / "other", UNLIKE[what])
    with pytest.raises(InputError, match=what) as refused:
        contrast(good, other)
    assert "\n" not in str(refused.value)


def test_a_later_letter_of_a_card_still_compares(good: Path, tmp_path: Path) -> None:
    other = changed(good, tmp_path / "other", lambda manifest: manifest["card"].update(version="2-B"))
    assert contrast(good, other).compared


def changed(run: Path, copy: Path, change: Change) -> Path:
    shutil.copytree(run, copy)
    for path in copy.glob("*/manifest.json"):
        manifest = json.loads(path.read_text(encoding="utf-8"))
        change(manifest)
        path.write_text(json.dumps(manifest), encoding="utf-8")
    return copy


def test_other_data_are_refused_unless_allowed_and_then_named(held: Held, cultural: Path, tmp_path: Path) -> None:
    write_cultural(tmp_path, 20)
    a, b = (held("culturalbench/easy", models=("baseline/first",), data=str(data)) for data in (cultural, tmp_path))
    with pytest.raises(InputError, match=r"culturalbench-easy\.csv"):
        contrast(a, b)
    compared = contrast(a, b, allow_other_data=True).compared[0]
    assert (compared.whole.units, compared.only_a, compared.only_b) == (20, 4, 0)
    assert any("culturalbench-easy.csv" in format_caution(note) for note in compared.notes)


def test_programs_get_one_object_with_the_rows_of_every_table(good: Path, bad: Path) -> None:
    told = rows_of(contrast(good, bad))
    assert told["b"] == {"run": str(bad), "models": ["simulated/typical:person=1,know=.5,judge=.4,NG=.1"]}
    headlines = told["analyses"]["headlines"]["headlines"]
    assert [row["benchmark"] for row in headlines if row["p_worse_holm"] < 0.05] == list(BENCHMARKS)
    for benchmark in BENCHMARKS:
        rows = told["analyses"]["differences"]["differences"]
        places = [row for row in rows if row["benchmark"] == benchmark and row["place"] is not None]
        assert {"difference", "low", "high", "p", "units", "clusters", "tests"} <= set(places[0])
        assert len({row["tests"] for row in places if row["p"] is not None}) == 1
        assert max(row["tests"] for row in places) > 2


def test_people_get_a_table_of_eighty_columns(good: Path, bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_full_comparison(contrast(good, bad))
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    family = contrast(good, bad).compared[0].places
    assert f"Places, {sum(place.p is not None for place in family)} tested" in " ".join(out.split())
    assert "Simulated" in out


def judged(folder: Path, model: str, pairs: Sequence[tuple[float | None, float | None]], **more: Any) -> Path:
    """A run whose headline counts right labels with good reasons."""
    roles = {"judge": "openai/judge"}
    figures = {"accuracy": more.pop("accuracy", 0.5), "label_accuracy": 0.5, "coverage": 0.5}
    return run_of(folder, Made(model=model, benchmark="odd/tea", verdicts=explained(pairs), figures=figures,
                               **{"roles": roles, **more}))  # fmt: skip


def test_a_headline_of_good_reasons_is_compared_by_both(tmp_path: Path) -> None:
    right: list[tuple[float | None, float | None]] = [(1, 0.9)] * 10
    # All labels are right in B too, but four of its reasons are bad and one has no grade.
    a = judged(tmp_path / "a", "openai/a", right, accuracy=1.0)
    b = judged(tmp_path / "b", "openai/b", right[:5] + [(1, 0.3)] * 4 + [(1, None)], accuracy=5 / 9)
    (compared,) = contrast(a, b).compared
    assert (compared.whole.units, compared.ungraded) == (9, 1)
    assert [compared.whole.a, compared.whole.b] == pytest.approx([1.0, 5 / 9])
    # Four against none: 2/2^4.
    assert compared.whole.p == pytest.approx(0.125)
    assert compared.notes == ()


def notes_of(compared: Compared) -> list[str]:
    return [format_caution(note) for note in compared.notes]


def test_who_judged_itself_is_named(tmp_path: Path) -> None:
    pairs: list[tuple[float | None, float | None]] = [(1, 0.9)] * 10
    a, b = (
        judged(tmp_path / name, f"openai/{name}", pairs, accuracy=1.0, roles={"judge": "openai/b"}) for name in "ab"
    )
    (compared,) = contrast(a, b).compared
    assert notes_of(compared) == ["B, openai/b, was judged by itself, and the other was not"]
    assert notes_of(contrast(b, b).compared[0]) == [f"{one}, openai/b, was judged by itself" for one in "AB"]


def test_other_judges_are_refused(tmp_path: Path) -> None:
    pairs: list[tuple[float | None, float | None]] = [(1, 0.9)] * 10
    a, b = (judged(tmp_path / name, "openai/m", pairs, roles={"judge": f"openai/{name}"}) for name in "ab")
    with pytest.raises(InputError, match="other roles"):
        contrast(a, b)


def test_a_headline_that_is_no_mean_over_units_is_said_to_be(tmp_path: Path) -> None:
    given, name = thin([1, 1, 0, 0]), "f1_macro"
    made = Made(model="openai/a", benchmark="odd/tea", verdicts=given, figures={name: 0.75}, headline=name)
    (compared,) = contrast(run_of(tmp_path / "a", made), run_of(tmp_path / "b", made)).compared
    assert compared.whole.a == 0.5
    assert notes_of(compared) == ["f1_macro is counted in a way of its own; compared here are the mean points of units"]


def open_answers(folder: Path, kept: float) -> Path:
    """Ten answers, each held against a norm that is never broken and one that sometimes is, kept to with one chance."""
    shares = {"satisfied": kept, "neutral": 0.0, "violated": 1 - kept}
    ballot = VoteSummary(votes=1, asked=1, words=5, label_probs=shares)
    verdicts = []
    for item in (f"i{number}" for number in range(10)):
        for strictness in ("no", "sometimes"):
            where = replace(about(item, part=strictness), groups={"strictness": strictness})
            verdicts.append(Graded(about=where, sample=0, task="norm", points=kept, label="satisfied", ballot=ballot))
    figures, roles = {"norm_score": 100 * (2 * kept - 1)}, {"judge": "openai/j"}
    made = Made(model="openai/m", benchmark="cultureforest/hard", verdicts=verdicts, headline="norm_score",
                figures=figures, roles=roles)  # fmt: skip
    return run_of(folder, made)


def test_a_norm_score_is_compared_norm_by_norm_in_its_own_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = contrast(open_answers(tmp_path / "a", 0.9), open_answers(tmp_path / "b", 0.8))
    (compared,) = made.compared
    # +1 for kept to, -1 for broken: 80 points against 60; weights of 1 and .5 leave the mean as it is.
    assert [compared.whole.a, compared.whole.b, compared.whole.difference] == pytest.approx([80, 60, -20])
    assert (compared.whole.units, compared.whole.clusters) == (20, 10)
    assert compared.notes == ()
    print_full_comparison(made)
    assert "B − A: −20.0" in " ".join(capsys.readouterr().out.split())


def test_where_open_answers_go_stands_beside_their_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = contrast(open_answers(tmp_path / "a", 0.9), open_answers(tmp_path / "b", 0.8))
    beside = {each.metric: each for each in made.compared[0].other_metrics}
    assert tuple(beside) == ("neutral", "violated", "format_error", "refusal")
    neutral, violated = beside["neutral"], beside["violated"]
    assert [violated.a, violated.b, violated.difference] == pytest.approx([0.1, 0.2, 0.1])
    assert neutral.difference == 0
    print_full_comparison(made)
    assert "violated (lower is better): A 10.0%, B 20.0%; B − A: +10.0" in " ".join(capsys.readouterr().out.split())


def test_ten_answers_of_which_one_differs_could_not_have_shown_a_small_difference(tmp_path: Path) -> None:
    """Six have to differ, all one way, for a p below .05: .6 at least, and no two models are so far apart."""
    right: list[tuple[float | None, float | None]] = [(1, 0.9)] * 10
    a, b = judged(tmp_path / "a", "openai/a", right), judged(tmp_path / "b", "openai/b", [*right[1:], (0, 0.9)])
    (whole,) = (compared.whole for compared in contrast(a, b).compared)
    assert whole.minimum_detectable is None
    assert whole.undetectable == SHOWS_NO_DIFFERENCE


def test_points_of_reasons_are_compared_beside_labels_and_raise_no_alarm(tmp_path: Path) -> None:
    good: list[tuple[float | None, float | None]] = [(1, 0.9)] * 10
    a = judged(tmp_path / "a", "openai/a", good)
    b = judged(tmp_path / "b", "openai/b", [(1, 0.4)] * 9 + [(1, None)])
    made = contrast(a, b)
    (coverage,) = made.compared[0].other_metrics
    assert coverage.metric == "coverage"
    assert [coverage.a, coverage.b, coverage.difference] == pytest.approx([0.9, 0.4, -0.5])
    assert coverage.units == 9
    (told,) = (row for row in rows_of(made)["analyses"]["differences"]["differences"] if row["metric"] == "coverage")
    assert told["difference"] == pytest.approx(-0.5)
    assert {worse.compared.metric for worse in made.regressions} <= {made.compared[0].metric}


def test_other_metrics_of_the_card_stand_beside_as_a_family_of_their_own(good: Path, bad: Path) -> None:
    for compared in contrast(good, bad).compared:
        names = [beside.metric for beside in compared.other_metrics]
        assert {"format_error", "refusal", "accuracy_strict"} <= set(names)
        # The lenient reading is the headline itself, and F1 is no mean over units.
        assert not {"accuracy_lenient", "f1_micro", "f1_macro"} & set(names)
        tested = [beside for beside in compared.other_metrics if beside.p is not None]
        smallest = min(tested, key=lambda whole: whole.p or 0)
        assert smallest.p_adjusted == pytest.approx(min(1.0, len(tested) * (smallest.p or 0)))
    both = {run: read_results([run]).evaluations for run in (good, bad)}
    for number, compared in enumerate(contrast(good, bad).compared):
        for beside in compared.other_metrics:
            for run, mean in ((good, beside.a), (bad, beside.b)):
                figure = both[run][number].overall(beside.metric)
                assert figure is not None
                assert mean == pytest.approx(figure.value)


def test_groups_are_corrected_both_for_claims_and_for_screening(good: Path, bad: Path) -> None:
    for compared in contrast(good, bad).compared:
        assert list(compared.families) == ["place", "domain"]
        for members in compared.families.values():
            corrected = [member for member in members if member.p is not None]
            p = [member.p for member in corrected if member.p is not None]
            assert all((m.p_adjusted or 0) >= (m.p or 0) for m in corrected)
            assert [m.p_bh for m in corrected] == pytest.approx(benjamini_hochberg(p).tolist())


def test_what_each_correction_is_for_is_said(good: Path, bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_full_comparison(contrast(good, bad))
    out = " ".join(capsys.readouterr().out.split())
    assert "by Holm's correction" in out
    assert "by Benjamini and Hochberg's correction, which is for screening" in out
    assert "Domains, 8 tested" in out
    rows = rows_of(contrast(good, bad))["analyses"]["differences"]["differences"]
    domains = [row for row in rows if row["benchmark"] == "ladder/know" and row["domain"] is not None]
    assert len({row["tests"] for row in domains}) == 1
    assert len(domains) == 8


def test_groups_with_too_few_clusters_are_shown_and_do_not_swell_the_family(held: Held, good: Path) -> None:
    part = held(*BENCHMARKS, places=MANY, models=("simulated/typical:person=1,know=.6",), limit=130, name="less")
    places = contrast(good, part).compared[0].places
    few = [member for member in places if member.clusters < 8]
    assert all((member.p, member.p_adjusted, member.family) == (None, None, 0) for member in few)


def test_what_could_have_been_seen_is_told_of_the_truth_only_where_the_judge_is_known(
    tmp_path: Path, good: Path, bad: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs: list[tuple[float | None, float | None]] = [(1, 0.9)] * 30
    a = judged(tmp_path / "a", "openai/a", pairs, accuracy=1.0)
    b = judged(tmp_path / "b", "openai/b", [*pairs[:26], *[(1, 0.2)] * 4], accuracy=26 / 30)
    plain = contrast(a, b).compared[0].whole
    assert plain.minimum_detectable_true is None
    made = compare_runs(read_results([a]), read_results([b]), judge_quality=0.8)
    known = made.compared[0].whole
    assert known.minimum_detectable is not None
    assert known.minimum_detectable_true == pytest.approx(known.minimum_detectable / 0.8)
    print_full_comparison(made)
    assert "With the judge's errors (J 0.8, given)" in " ".join(capsys.readouterr().out.split())
    # Nobody judged these, so there is nothing to correct for.
    unjudged = compare_runs(read_results([good]), read_results([bad]), judge_quality=0.8)
    assert unjudged.compared[0].whole.minimum_detectable_true is None
    with pytest.raises(InputError, match="judge-quality"):
        compare_runs(read_results([a]), read_results([b]), judge_quality=1.2)


def test_what_either_run_drew_together_stays_together(tmp_path: Path) -> None:
    def made(name: str, clusters: Sequence[str]) -> Path:
        verdicts = [
            Graded(about=about(f"i{n}", cluster=cluster), sample=0, task="strict", points=float(name == "a"),
                   label="yes", gold="yes")
            for n, cluster in enumerate(clusters)
        ]  # fmt: skip
        return run_of(tmp_path / name, Made(model="m/m", benchmark="odd/tea", verdicts=verdicts,
                                            figures={"accuracy": float(name == "a")}))  # fmt: skip

    whole = contrast(made("a", [f"c{n // 2}" for n in range(20)]), made("b", [f"d{n}" for n in range(20)])).compared[0]
    assert (whole.whole.units, whole.whole.clusters) == (20, 10)
    # Ten clusters, all one way: 2 / 2^10, where twenty independent units would have 2 / 2^20.
    assert whole.whole.p == pytest.approx(2 / 2**10)


@pytest.mark.parametrize("benchmark", ["ladder/converse", "ladder/live"])
def test_talks_and_days_are_compared_by_their_own_headline(held: Held, benchmark: str) -> None:
    a, b = (held(benchmark, models=(f"simulated/typical:person={n}",), limit=12) for n in (1, 2))
    (compared,) = contrast(a, b).compared
    assert compared.notes == ()
    for run, mean in ((a, compared.whole.a), (b, compared.whole.b)):
        whole = read_results([run]).evaluations[0].overall()
        assert whole is not None
        assert mean == pytest.approx(whole.value)
