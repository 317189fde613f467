"""Runs that ask step by step: until a claim is decided, and no further statement once one is wrong."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.core.errors import BudgetReached, InputError, UnknownName
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata
from mores.runs.loading import read_results
from mores.runs.selection import select
from mores.runs.spec import ExecutionSpec, Spec, check
from mores.runs.stepwise import Claim, asking_order
from tests.bundled import NORMS
from tests.endpoint import Endpoint
from tests.runs.conduct import Typed, estimates, hold, left, manifest, transcripts, whole

PAIR = ("simulated/typical", "simulated/novice")
KNOW = Spec(benchmarks=("ladder/know",), models=PAIR, until="typical > novice")
FOLDERS = ("simulated-typical--ladder-know", "simulated-novice--ladder-know")


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose claim was decided before all was asked."""
    folder = tmp_path_factory.mktemp("until") / "run"
    assert hold(folder, KNOW)
    return folder


def test_asking_ends_once_the_claim_is_decided(decided: Path) -> None:
    one, other = (manifest(decided / name) for name in FOLDERS)
    found = one["until"]
    assert found == other["until"]
    assert found["end"] == "shown"
    assert found["asked"] < found["most"] / 2
    assert found["p"] < 0.05
    assert 0 < found["low"] < found["difference"] < found["high"]
    *before, last = found["looks"]
    assert abs(last["score"]) >= last["bound"]
    assert all(abs(look["score"]) < look["bound"] for look in before)
    assert one["plays"] == {"asked": one["items"], "done": one["items"]}
    assert any("Asked until" in remark for remark in one["remarks"])


def test_both_are_asked_the_same_and_it_is_what_a_limit_draws(decided: Path, tmp_path: Path) -> None:
    one, other = ({each["item"] for each in transcripts(decided / name)} for name in FOLDERS)
    assert one == other
    until = manifest(decided / FOLDERS[0])["until"]
    norms = round(NORMS * len(until["looks"]) / until["planned"])
    assert hold(tmp_path, replace(KNOW, until=None, models=PAIR[:1], limit=norms))
    assert {each["item"] for each in transcripts(tmp_path)} == one
    assert whole(tmp_path, "accuracy")["value"] == whole(decided / FOLDERS[0], "accuracy")["value"]


@pytest.mark.parametrize("concurrency", [1, 7])
def test_concurrency_changes_no_byte(decided: Path, tmp_path: Path, concurrency: int) -> None:
    assert hold(tmp_path, KNOW, concurrency=concurrency)
    for name in FOLDERS:
        assert left(tmp_path / name) == left(decided / name)


@pytest.mark.parametrize("calls", [1, 100, 250])
def test_a_run_that_was_cut_short_concludes_the_same(decided: Path, tmp_path: Path, calls: int) -> None:
    with pytest.raises(BudgetReached):
        hold(tmp_path, KNOW, max_calls=calls)
    assert hold(tmp_path, KNOW)
    for name in FOLDERS:
        assert left(tmp_path / name) == left(decided / name)
        assert manifest(tmp_path / name)["until"] == manifest(decided / name)["until"]


def test_a_finished_one_is_left_as_it_is(decided: Path) -> None:
    before = [left(decided / name) for name in FOLDERS]
    assert hold(decided, KNOW)
    assert [left(decided / name) for name in FOLDERS] == before


def test_one_that_lost_a_model_asks_it_again(decided: Path, tmp_path: Path) -> None:
    assert hold(tmp_path, KNOW)
    (tmp_path / FOLDERS[0] / "estimates.json").unlink()
    assert hold(tmp_path, KNOW)
    assert left(tmp_path / FOLDERS[0]) == left(decided / FOLDERS[0])


def test_too_few_questions_for_two_looks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="too few to look at"):
        hold(tmp_path, replace(KNOW, places=("KR", "KE")))


def test_what_is_not_so_ends_without_a_finding(tmp_path: Path) -> None:
    spec = replace(KNOW, models=PAIR[:1], until=None)
    assert hold(tmp_path / "whole", spec)
    value = whole(tmp_path / "whole", "accuracy")["value"]
    assert hold(tmp_path / "run", replace(spec, until=f"typical > {value:.3f}"))
    found = manifest(tmp_path / "run")["until"]
    assert found["end"] in {"vain", "open"}
    assert found["low"] < 0 < found["high"]


def test_a_model_that_is_worse_is_said_to_be_below(tmp_path: Path) -> None:
    assert hold(tmp_path, replace(KNOW, until="novice > typical"))
    found = manifest(tmp_path / FOLDERS[0])["until"]
    assert found["end"] == "opposite"
    assert found["difference"] < 0


def test_the_screen_says_it_and_the_naive_p_is_not_said(tmp_path: Path, typed: Typed) -> None:
    models = ("-m", PAIR[0], "-m", PAIR[1])
    done = typed("run", "ladder/know", *models, "--until", "typical > novice", "--out", "run")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "simulated/typical is above simulated/novice on ladder/know, after" in said
    assert "at look" in said
    assert "over all looks" in said
    assert "is ahead of" not in said
    told = json.loads(typed("report", "run", "--json").stdout)["analyses"]["until"]
    (claim,) = told["until"]
    assert (claim["end"], claim["look"]) == ("shown", len(told["until_looks"]))


def test_a_dry_run_and_other_verbs_take_it(decided: Path, typed: Typed) -> None:
    assert typed("report", decided).returncode == 0
    again = typed("resume", decided)
    assert again.returncode == 0, again.stderr
    assert read_results([decided]).evaluations[0].provenance.until is not None


def test_a_plan_says_what_it_would_ask(typed: Typed) -> None:
    done = typed("plan", "ladder/know", "--json")
    (plan,) = json.loads(done.stdout)["plans"]
    none, *sizes = plan["until"]
    assert none["difference"] == 0
    assert none["found"] < 0.025
    assert [each["share"] for each in sizes] == sorted((each["share"] for each in sizes), reverse=True)
    assert "Asked until 'A > B' is decided (--until)" in " ".join(typed("plan", "ladder/know").stdout.split())


def test_a_judged_rung_is_asked_until_decided_and_judged_again(tmp_path: Path) -> None:
    spec = replace(KNOW, benchmarks=("ladder/explain",))
    assert hold(tmp_path / "run", spec)
    folder = tmp_path / "run" / "simulated-typical--ladder-explain"
    found = manifest(folder)["until"]
    assert found["end"] == "shown"
    assert len(transcripts(folder)) == round(NORMS * len(found["looks"]) / found["planned"])
    again = replace(spec, judged=str(tmp_path / "run"), roles={"judge": "simulated/judge"})
    assert hold(tmp_path / "again", again)
    judged = tmp_path / "again" / "simulated-typical--ladder-explain"
    assert {each["item"] for each in transcripts(judged)} == {each["item"] for each in transcripts(folder)}
    assert manifest(judged)["ungraded"] == manifest(folder)["ungraded"]


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("a > b", ("x/a", "y/b", None)),
        ("x/a>y/b", ("x/a", "y/b", None)),
        ("a < b", ("y/b", "x/a", None)),
    ],
)
def test_a_claim_names_models_by_their_names_or_their_ends(claim: str, found: tuple[str, str, None]) -> None:
    assert Claim.read(claim, ("x/a", "y/b"))[1:] == found


def test_a_claim_on_one_model_has_a_number() -> None:
    assert Claim.read("a > 0.7", ("x/a",))[1:] == ("x/a", None, 0.7)


@pytest.mark.parametrize(
    ("claim", "models", "says"),
    [
        ("a", ("x/a",), "expected 'A > B'"),
        ("a > 0.7", ("x/a", "y/b"), "the run has x/a, y/b"),
        ("a > a", ("x/a", "y/b"), "the run has x/a, y/b"),
        ("0.7 > a", ("x/a",), "a number stands on the lower side"),
    ],
)
def test_what_is_no_claim_is_refused_in_one_line(claim: str, models: tuple[str, ...], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Claim.read(claim, models)


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(UnknownName, match="model of the run"):
        Claim.read("c > b", ("x/a", "y/b"))


def test_what_cannot_end_early_is_refused() -> None:
    for wrong, conditions in (
        (replace(KNOW, shard="1/2"), ExecutionSpec()),
        (replace(KNOW, controls=("masked",)), ExecutionSpec()),
        (KNOW, ExecutionSpec(batch="here")),
    ):
        with pytest.raises(InputError, match="asked whole and live"):
            check(wrong, conditions)


def test_several_benchmarks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected one benchmark"):
        hold(tmp_path, replace(KNOW, benchmarks=("ladder/know", "ladder/judge"), roles={}))


class _Asked:
    def __init__(self, number: int, cluster: str, place: str) -> None:
        self.about = ItemMetadata(item=f"i{number}", unit=f"u{number}", cluster=cluster, place=place)


def test_clusters_are_asked_whole_and_places_evenly() -> None:
    items = [_Asked(n, f"c{n // 3}", "JP" if n < 30 else "NG") for n in range(60)]
    order = asking_order(items, Seed("x"))
    assert [len({item.about.cluster for item in own}) for own in order] == [1] * 20
    assert sum(own[0].about.place == "JP" for own in order[:10]) == 5
    alone = [_Asked(n, f"u{n}", "JP" if n < 30 else "NG") for n in range(60)]
    first = {own[0].about.item for own in asking_order(alone, Seed("x"))[:20]}
    assert first == {each.about.item for each in select(alone, places=(), limit=20, seed=Seed("x"))}


HARD = ("culturalbench/hard",)


def test_a_question_stops_at_a_wrong_statement_and_the_headline_stays(tmp_path: Path, cultural: Path) -> None:
    spec = Spec(benchmarks=HARD, models=("simulated/novice",), data=str(cultural))
    assert hold(tmp_path / "all", spec)
    assert hold(tmp_path / "stop", replace(spec, settings={"stop": "wrong"}))
    every, some = transcripts(tmp_path / "all"), transcripts(tmp_path / "stop")
    assert len(some) < 0.8 * len(every)
    known = {each["item"]: each for each in every}
    assert all(known[each["item"]] == each for each in some)
    kept = {(each["metric"], str(each["group"])): each["value"] for each in estimates(tmp_path / "all")}
    for each in estimates(tmp_path / "stop"):
        if each["metric"] == "accuracy":
            assert each["value"] == kept["accuracy", str(each["group"])]
    for name in ("item_accuracy", "format_error", "accuracy_lenient", "f1_macro"):
        found = whole(tmp_path / "stop", name)
        assert (found["value"], found["missing"]["code"]) == (None, "rest_not_asked")
    left_out = len(every) - len(some)
    assert any(f"{left_out} of {len(every)} were left out" in each for each in manifest(tmp_path / "stop")["remarks"])


def test_statements_are_asked_alike_at_any_concurrency(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    endpoint.set(latency_ms=1)
    spec = Spec(
        benchmarks=HARD, models=("vllm/test",), data=str(cultural), base_url=endpoint.url, settings={"stop": "wrong"}
    )
    for concurrency in (1, 64):
        assert hold(tmp_path / str(concurrency), spec, concurrency=concurrency)
    assert left(tmp_path / "1") == left(tmp_path / "64")


def test_endpoints_are_asked_alike_at_any_concurrency_and_after_faults(tmp_path: Path, endpoint: Endpoint) -> None:
    endpoint.set(latency_ms=1)
    spec = Spec(benchmarks=("ladder/know",), models=("vllm/one", "vllm/two"), base_url=endpoint.url, until="one > two")
    assert hold(tmp_path / "1", spec, concurrency=3)
    endpoint.set(faults={"500": 0.1, "drop": 0.1}, fault_tries=3)
    with pytest.raises(BudgetReached):
        hold(tmp_path / "64", spec, max_calls=333, attempts=5)
    assert hold(tmp_path / "64", spec, attempts=5)
    for name in ("vllm-one--ladder-know", "vllm-two--ladder-know"):
        assert left(tmp_path / "1" / name) == left(tmp_path / "64" / name)
        assert manifest(tmp_path / "1" / name)["until"] == manifest(tmp_path / "64" / name)["until"]
