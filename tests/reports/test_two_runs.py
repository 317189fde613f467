"""The page of two runs: what went right in which of them, the items that changed, and those that are unstable."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import structs

from mores.analysis.comparison import Compared, Comparison, compare_runs
from mores.analysis.outcomes import BETTER, DECLINED, UNSTABLE, outcomes
from mores.analysis.results import Results
from mores.analysis.two_runs import findings
from mores.cli.report import CompareArgs, compare
from mores.core.codec import encode_lines
from mores.core.errors import InputError
from mores.core.verdict import Graded, JudgeAnswer, Verdict, Vote, in_order
from mores.reports.browse import browser
from mores.reports.page import render_comparison
from mores.reports.terminal_compare import print_comparison
from mores.reports.two_runs import comparison_as_json, comparison_tables
from mores.runs.loading import read_results
from mores.tables import rows_by_key
from mores.tables.formatting import text_of
from tests.reports.browsed import unpacked
from tests.reports.conftest import Held
from tests.reports.made import Made, about, label, run_of, thin

Screen = pytest.CaptureFixture[str]
JUDGED = {"runs": 3, "sampling": {"temperature": 1.0}}


@pytest.fixture(scope="module")
def good(held: Held) -> Path:
    return held("ladder/know", "ladder/judge", models=("simulated/typical:person=1",), limit=60, name="good")


@pytest.fixture(scope="module")
def bad(held: Held) -> Path:
    model = "simulated/typical:person=2,know=.5,judge=.4"
    return held("ladder/know", "ladder/judge", models=(model,), limit=60, name="bad")


def against(a: Path, b: Path, *models: str) -> Comparison:
    return compare_runs(read_results([a]), read_results([b]), models=models)


def marked(comparison: Comparison) -> dict[str, set[tuple[str, str]]]:
    """Benchmarks and items that the page's browser says changed, by how."""
    pairs = [(each.a, each.b) for each in comparison.compared]
    runs = (comparison.run_a, comparison.run_b)
    held = browser(Results(runs=runs, evaluations=tuple(each for pair in pairs for each in pair)), pairs)
    assert held is not None
    index = unpacked(held.index)
    names = list(zip(index["items"]["benchmark"], index["items"]["id"], strict=True))
    found: dict[str, set[tuple[str, str]]] = {}
    for item, _, change in index["changes"]["rows"]:
        found.setdefault(index["changes"]["kinds"][change], set()).add(names[item])
    return found


def points(compared: Compared, side: str) -> dict[str, float]:
    """The points of each item by the verdicts themselves."""
    result = compared.a if side == "a" else compared.b
    return {v.about.item: v.points for v in result.verdicts() if isinstance(v, Graded)}


def test_the_four_ways_that_units_went_are_all_units_of_the_contrast(good: Path, bad: Path) -> None:
    for compared in against(good, bad).compared:
        found, whole = compared.outcomes, compared.whole
        assert found is not None
        assert sum(map(sum, found.counts)) == whole.units
        # The difference of two shares is that of the units which only one got right.
        assert (found.only_b - found.only_a) / whole.units == pytest.approx(whole.difference)
        assert found.unstable == (0, 0, 0)
        assert sum(found.counts[0]) / whole.units == pytest.approx(whole.a)


def test_rows_of_outcomes_add_up_to_the_units_that_both_graded(good: Path, bad: Path) -> None:
    filled = comparison_tables(against(good, bad))["outcomes"]
    rows = rows_by_key(filled.table, filled.rows)
    for benchmark in ("ladder/know", "ladder/judge"):
        units = {(row["in_a"], row["in_b"]): row["units"] for row in rows if row["benchmark"] == benchmark}
        states = ("right", "partly", "wrong")
        assert units["all", "all"] == sum(units[a, b] for a in states for b in states) > 60
        assert all(units[a, "all"] == sum(units[a, b] for b in states) for a in states)
        assert units["all", "unstable"] == 0


def test_each_headline_is_a_row_with_what_is_known_of_it_and_its_groups_are_rows_beside(good: Path, bad: Path) -> None:
    made = against(good, bad)
    found = {id_: rows_by_key(filled.table, filled.rows) for id_, filled in comparison_tables(made).items()}
    one_sided = {each.compared.benchmark: each.p for each in made.one_sided}
    for row, compared in zip(found["headlines"], made.compared, strict=True):
        whole, outcomes_ = compared.whole, compared.outcomes
        assert outcomes_ is not None
        assert (row["a"], row["b"], row["difference"], row["p_holm"]) == (
            whole.a, whole.b, whole.difference, whole.p_adjusted,
        )  # fmt: skip
        assert (row["right_in_a"], row["right_in_b"]) == (outcomes_.only_a, outcomes_.only_b)
        assert row["p_worse_holm"] == one_sided[compared.benchmark]
        own = [each for each in found["differences"] if each["benchmark"] == compared.benchmark]
        groups = sum(len(members) for members in compared.families.values())
        assert len(own) == groups + len(compared.other_metrics)
        assert sum(each["claim"] is not None for each in own) == groups
        assert {each["metric"] for each in own if each["claim"]} == {compared.metric}
    assert found["left_out"] == []


def test_the_changed_items_are_those_whose_verdicts_differ(good: Path, bad: Path) -> None:
    made = against(good, bad)
    better, worse = set(), set()
    for compared in made.compared:
        a, b = points(compared, "a"), points(compared, "b")
        better |= {(compared.benchmark, item) for item in a.keys() & b.keys() if b[item] > a[item]}
        worse |= {(compared.benchmark, item) for item in a.keys() & b.keys() if b[item] < a[item]}
    assert better
    assert worse
    found = marked(made)
    assert (found[BETTER], found[DECLINED]) == (better, worse)
    assert UNSTABLE not in found


def run(folder: Path, verdicts: Sequence[Verdict], model: str = "openai/m", **more: object) -> Path:
    made = Made(model=model, benchmark="odd/tea", verdicts=verdicts, figures={"accuracy": 0.5}, **more)  # type: ignore[arg-type]
    return run_of(folder, made)


def test_what_goes_two_ways_over_samples_is_unstable(tmp_path: Path) -> None:
    steady = [*thin([1, 1, 0]), *(structs.replace(each, sample=1) for each in thin([1, 1, 0]))]
    turning = [*thin([1, 1, 0]), *(structs.replace(each, sample=1) for each in thin([1, 0, 0]))]
    made = against(run(tmp_path / "a", steady), run(tmp_path / "b", turning))
    found = made.compared[0].outcomes
    assert found is not None
    # i0 is right in both, i1 right in A and half right in B, i2 wrong in both.
    assert found.counts == ((1, 1, 0), (0, 0, 0), (0, 0, 1))
    assert found.unstable == (1, 0, 0)
    assert marked(made)[UNSTABLE] == {("odd/tea", "i1")}


def test_what_repeated_votes_disagree_on_is_unstable(tmp_path: Path) -> None:
    def vote(item: str, draw: int, said: JudgeAnswer) -> Vote:
        return Vote(item=item, sample=0, task="label", judge="judge", draw=draw, prompt="0", said={"": said})

    verdicts = [label(f"i{n}", 1.0) for n in range(4)]
    a, b = (run(tmp_path / name, verdicts, roles={"judge": "openai/j"}, judging=JUDGED) for name in "ab")
    words = {"i0": ("yes", "yes"), "i1": ("yes", "no")}
    votes = [vote(item, n, JudgeAnswer(label=word)) for item, said in words.items() for n, word in enumerate(said)]
    # Points on both sides of .5 disagree, others do not; what could not be read is no vote.
    votes += [vote("i2", n, JudgeAnswer(points=each)) for n, each in enumerate((0.4, 0.6))]
    votes += [
        vote("i3", 0, JudgeAnswer(points=0.7)),
        vote("i3", 1, JudgeAnswer(points=0.9)),
        vote("i3", 2, JudgeAnswer(cause="cut short")),
    ]
    (b / "cell-0" / "votes.jsonl").write_bytes(encode_lines(in_order(votes)))
    made = against(a, b)
    found = made.compared[0].outcomes
    assert found is not None
    assert found.counts[0][0] == 4
    assert found.unstable == (2, 0, 0)
    assert marked(made)[UNSTABLE] == {("odd/tea", "i1"), ("odd/tea", "i2")}


def test_judges_that_differ_from_each_other_are_not_unstable(tmp_path: Path) -> None:
    verdicts = [label("i0", 1.0)]
    a = run(tmp_path / "a", verdicts, judging=JUDGED)
    votes = [Vote(item="i0", sample=0, task="label", judge=judge, draw=0, prompt="0",
        said={"": JudgeAnswer(label=word)})
             for judge, word in (("judge", "yes"), ("judge2", "no"))]  # fmt: skip
    (a / "cell-0" / "votes.jsonl").write_bytes(encode_lines(in_order(votes)))
    (result,) = read_results([a]).evaluations
    found = outcomes(result, result)
    assert found is not None
    assert found.unstable == (0, 0, 0)


def two_models(folder: Path, *models: str, also: str = "") -> Path:
    evaluations = [
        Made(model=m, benchmark="odd/tea", verdicts=thin([1, 0, 1]), figures={"accuracy": 0.5}) for m in models
    ]
    more = [Made(model=models[0], benchmark=also, verdicts=thin([1]), figures={"accuracy": 1.0})] if also else []
    return run_of(folder, *evaluations, *more)


def test_models_of_both_runs_are_paired_by_name_and_the_others_are_named(tmp_path: Path, capsys: Screen) -> None:
    a = two_models(tmp_path / "a", "x/one", "x/two", also="odd/bread")
    b = two_models(tmp_path / "b", "x/two", "x/three", "x/one")
    made = against(a, b)
    assert made.pairs == (("x/one", "x/one"), ("x/two", "x/two"))
    assert {(left.run, left.model, left.benchmark, left.paired) for left in made.left_out} == {
        ("A", "x/one", "odd/bread", True), ("B", "x/three", "odd/tea", False),
    }  # fmt: skip
    said = "In one run only, so not compared: odd/bread by x/one (A), x/three (B)."
    print_comparison(made)
    assert said in " ".join(capsys.readouterr().out.split())
    assert said in render_comparison(made)
    told = json.loads(comparison_as_json(made))
    assert told["a"]["models"] == ["x/one", "x/two"]
    assert told["analyses"]["headlines"]["left_out"][1]["model"] == "x/three"


def test_what_differs_for_some_models_alone_says_for_how_many(tmp_path: Path) -> None:
    def both(name: str, second: Sequence[float]) -> Path:
        models = {"x/one": [1.0] * 40, "x/two": second}
        figures = {"accuracy": 1.0}
        made = (Made(model=m, benchmark="odd/tea", verdicts=thin(each), figures=figures) for m, each in models.items())
        return run_of(tmp_path / name, *made)

    told = [
        text_of(each.words) for each in findings(against(both("a", [1.0] * 40), both("b", [0.0] * 20 + [1.0] * 20)))
    ]
    assert told == [
        "A is better on odd/tea (1 of 2 models).", "No difference is found on odd/tea (1 of 2 models).",
    ]  # fmt: skip


def test_models_can_be_chosen_and_one_in_each_is_paired_whatever_their_names(tmp_path: Path) -> None:
    a, b = two_models(tmp_path / "a", "x/one", "x/two"), two_models(tmp_path / "b", "x/two", "x/three")
    assert against(a, b, "x/one", "x/three").pairs == (("x/one", "x/three"),)
    assert against(a, b, "x/two").left_out == ()
    with pytest.raises(InputError, match="Did you mean 'x/two'"):
        against(a, b, "x/tvo")
    with pytest.raises(InputError, match="expected a model that both have"):
        against(two_models(tmp_path / "c", "x/four", "x/five"), b)


def test_a_gate_is_not_passed_by_what_could_not_be_compared(tmp_path: Path) -> None:
    made = against(two_models(tmp_path / "a", "x/one", also="odd/bread"), two_models(tmp_path / "b", "x/one"))
    assert (made.regressions, made.untested) == ((), ("odd/bread",))


def test_headlines_are_called_different_after_correction_for_their_number(tmp_path: Path) -> None:
    def several(name: str, right: Sequence[float]) -> Path:
        evaluations = [Made(model="x/one", benchmark=f"odd/{n}", verdicts=thin(right if n == 0 else [1] * 20),
                            figures={"accuracy": 1.0}) for n in range(3)]  # fmt: skip
        return run_of(tmp_path / name, *evaluations)

    # Six lost of twenty: p = 2 / 2^6 = .03125, and three times that after Holm.
    made = against(several("a", [1] * 20), several("b", [0] * 6 + [1] * 14))
    whole = made.compared[0].whole
    assert [whole.p, whole.p_adjusted] == pytest.approx([0.03125, 0.09375])
    assert not made.compared[0].found


def test_the_page_is_written_over_nothing_but_a_page_of_mores(good: Path, bad: Path, tmp_path: Path) -> None:
    page = tmp_path / "two.html"
    for _ in range(2):
        compare(CompareArgs(run_a=good, run_b=bad, out=page, json=True))
    (tmp_path / "mine.html").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="page of mores"):
        compare(CompareArgs(run_a=good, run_b=bad, out=tmp_path / "mine.html"))
    assert (tmp_path / "mine.html").read_text(encoding="utf-8") == "mine"
    with pytest.raises(InputError, match="it is a folder"):
        compare(CompareArgs(run_a=good, run_b=bad, out=tmp_path))


def test_the_page_has_the_table_of_right_and_wrong_and_what_mcnemar_tests(held: Held) -> None:
    """On a rung that asks each norm once; where units stand in clusters, the test is another one."""
    one, other = (
        held("ladder/explain", models=(f"simulated/typical:person={n},explain={share}",), limit=60)
        for n, share in ((1, 0.9), (2, 0.4))
    )
    made = against(one, other)
    page = render_comparison(made)
    for compared in made.compared:
        found = compared.outcomes
        assert found is not None
        assert f"compares {found.only_a:,} right in A alone with {found.only_b:,} in B alone" in page
    assert "What was planted" not in page
    assert "Right in A alone" in page


def test_weighted_units_are_neither_right_nor_wrong(tmp_path: Path) -> None:
    where = structs.replace(about("i0", part="no"), groups={"strictness": "no"})
    verdict = Graded(about=where, sample=0, task="norm", points=1.0, label="satisfied")
    made = Made(model="x/one", benchmark="cultureforest/hard", verdicts=[verdict], headline="norm_score",
                figures={"norm_score": 100.0})  # fmt: skip
    (compared,) = against(run_of(tmp_path / "a", made), run_of(tmp_path / "b", made)).compared
    assert compared.outcomes is None
    assert "Right and wrong on" not in render_comparison(against(tmp_path / "a", tmp_path / "b"))
