"""A budget stops a run cleanly, and a resume goes on from there."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.cli.run_output import print_estimate
from mores.core.errors import BudgetReached, InputError
from mores.models.journal_reader import EarlierJournal, read_entries
from mores.runs.cost_estimate import estimate
from mores.runs.spec import Spec
from tests.endpoint import Endpoint
from tests.runs.conduct import Typed, hold, left, manifest


def spec_of(cultural: Path, endpoint: Endpoint) -> Spec:
    return Spec(benchmarks=("culturalbench/hard",), models=("vllm/test",), data=str(cultural), base_url=endpoint.url)


def test_a_run_stops_at_its_budget_and_a_resume_asks_the_rest(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    spec = spec_of(cultural, endpoint)
    for sitting in range(1, 4):
        endpoint.reset()
        with pytest.raises(BudgetReached, match="The budget of 30 calls is used up"):
            hold(tmp_path, spec, max_calls=30)
        assert endpoint.counts().requests == 30  # the probe among them
        assert manifest(tmp_path)["state"] == "unfinished"
        assert manifest(tmp_path)["plays"]["done"] <= 30 * sitting
    endpoint.reset()
    assert hold(tmp_path, spec, max_calls=30)
    assert endpoint.counts().requests == 96 - 3 * 29 + 1


def test_no_more_requests_reach_an_endpoint_than_the_budget_allows(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    endpoint.set(reject=("max_tokens", "temperature"))
    with pytest.raises(BudgetReached):
        hold(tmp_path, spec_of(cultural, endpoint), max_calls=5)
    assert endpoint.counts().requests <= 5


def test_no_more_tokens_are_spent_than_the_budget_has(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    with pytest.raises(BudgetReached, match="The budget of 1000 tokens is used up"):
        hold(tmp_path, spec_of(cultural, endpoint), max_tokens=1_000)
    sitting = manifest(tmp_path)["models"]["vllm/test"]["sitting"]
    assert 500 < sitting["input_tokens"] + sitting["output_tokens"] <= 1_000
    assert hold(tmp_path, spec_of(cultural, endpoint))


@pytest.mark.parametrize("counted", [{"prompt_tokens": -5_000, "completion_tokens": 1}, {"prompt_tokens": 2**63}])
def test_counts_that_cannot_be_neither_defeat_a_budget_nor_use_it_up(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, counted: dict[str, int], typed: Typed
) -> None:
    endpoint.set(counted=counted)
    done = typed("run", "culturalbench/hard", "--model", "vllm/test", "--base-url", endpoint.url, "--data", cultural,
                 "--max-tokens", 1_000, "--out", "run")  # fmt: skip
    assert done.returncode == 1
    assert "mores: The budget of 1000 tokens is used up" in done.stderr
    assert done.stderr.count("whose tokens are estimated from their words instead.") == 1
    kept = manifest(tmp_path / "run")["models"]["vllm/test"]
    assert 500 < kept["sitting"]["input_tokens"] + kept["sitting"]["output_tokens"] <= 1_000
    assert sum(kept["usage_doubted"].values()) == kept["sitting"]["asked"] + 1  # and the probe


def test_thinking_is_within_the_budget_as_well(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    endpoint.set(reasoning="field", reasoning_tokens=1_000, latency_ms=20)
    with pytest.raises(BudgetReached):
        hold(tmp_path, spec_of(cultural, endpoint), max_tokens=40_000)
    sitting = manifest(tmp_path)["models"]["vllm/test"]["sitting"]
    assert sitting["input_tokens"] + sitting["output_tokens"] <= 40_000


def test_money_needs_a_known_price_before_anything_is_asked(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    with pytest.raises(InputError, match="no price is known for vllm/test"):
        hold(tmp_path / "run", spec_of(cultural, endpoint), max_cost=1.0)
    assert endpoint.counts().requests == 0
    assert not (tmp_path / "run").exists()


def test_models_that_cost_nothing_run_under_a_budget_in_money(tmp_path: Path, cultural: Path) -> None:
    models = ("simulated/typical", "baseline/random")
    spec = Spec(benchmarks=("culturalbench/hard",), models=models, data=str(cultural), limit=3)
    assert hold(tmp_path, spec, max_cost=0.0)


def test_a_dry_run_and_a_run_agree_that_an_address_of_ones_own_has_no_price(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    spec = replace(spec_of(cultural, endpoint), models=("openai/gpt-4o-mini",))
    assert [evaluation.cost for evaluation in estimate(spec)] == [None]
    with pytest.raises(InputError, match="no price is known for openai/gpt-4o-mini"):
        hold(tmp_path / "run", spec, max_cost=1.0)
    (priced,) = estimate(replace(spec, base_url=None))
    assert priced.cost


def test_a_judge_that_costs_is_not_called_free_beside_a_simulated_subject(capsys: pytest.CaptureFixture[str]) -> None:
    spec = Spec(benchmarks=("ladder/explain",), limit=3, roles={"judge": "openai/gpt-4o-mini"})
    print_estimate(estimate(spec), json=False)
    assert "$0." in capsys.readouterr().out
    print_estimate(estimate(replace(spec, roles={})), json=False)
    assert "nothing\n" in capsys.readouterr().out


def test_what_many_evaluations_would_ask_fits_twenty_lines_with_the_total(capsys: pytest.CaptureFixture[str]) -> None:
    models = tuple(f"simulated/typical:person={n}" for n in range(12))
    print_estimate(estimate(Spec(benchmarks=("ladder/know", "ladder/judge"), models=models)), json=False)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 80
    total = next(line for line in lines if line.startswith("in all"))
    calls = 12 * (catalogue.card("ladder/know").items + catalogue.card("ladder/judge").items)
    assert total.split()[2:4] == [f"{calls:,}"] * 2
    assert any("more rows" in line for line in lines)
    assert "--max-cost" in " ".join(lines)


def test_a_budget_in_money_is_kept(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    with pytest.raises(InputError, match="no price"):
        hold(tmp_path, spec_of(cultural, endpoint), max_cost=0.0)


def test_the_command_says_what_is_left_and_how_to_go_on(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, typed: Typed
) -> None:
    words = ["--model", "vllm/test", "--base-url", endpoint.url, "--data", cultural, "--out", tmp_path / "run"]
    stopped = typed("run", "culturalbench/hard", *words, "--max-calls", 20)
    assert stopped.returncode == 1
    assert stopped.stdout == ""
    assert "The budget of 20 calls is used up" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    again = typed("resume", tmp_path / "run", "--max-calls", 10)
    assert again.returncode == 1
    done = typed("resume", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert hold(tmp_path / "calm", spec_of(cultural, endpoint))
    assert left(tmp_path / "run") == left(tmp_path / "calm")


def test_a_run_that_reached_its_budget_says_how_to_resume(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    words = ["--data", cultural, "--out", tmp_path / "run"]
    stopped = typed("run", "culturalbench/hard", *words, "--max-calls", 20)
    assert stopped.returncode == 1
    assert f"mores resume {tmp_path / 'run'}" in stopped.stderr


def test_an_earlier_runs_replies_are_taken_and_counted(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    spec = spec_of(cultural, endpoint)
    assert hold(tmp_path / "first", spec)
    endpoint.reset()
    assert hold(tmp_path / "second", spec, reuse=(str(tmp_path / "first"),), max_calls=0)
    assert endpoint.counts().requests == 0
    assert manifest(tmp_path / "second")["models"]["vllm/test"]["sitting"]["reused"] == 96
    assert left(tmp_path / "first") == left(tmp_path / "second")


def test_only_what_no_earlier_run_has_is_asked(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    some = Spec(benchmarks=("culturalbench/hard",), models=("vllm/test",), data=str(cultural), base_url=endpoint.url,
                limit=10)  # fmt: skip
    assert hold(tmp_path / "some", some)
    endpoint.reset()
    assert hold(tmp_path / "all", spec_of(cultural, endpoint), reuse=(str(tmp_path / "some"),))
    assert endpoint.counts().requests == 96 - 40 + 1


def test_an_earlier_run_that_was_killed_can_be_reused(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    with pytest.raises(BudgetReached):
        hold(tmp_path / "first", spec_of(cultural, endpoint), max_calls=50)
    endpoint.reset()
    assert hold(tmp_path / "second", spec_of(cultural, endpoint), reuse=(str(tmp_path / "first"),))
    assert endpoint.counts().requests == 96 - 49 + 1


@pytest.mark.parametrize("data", [b"", b"these are my notes " * 300])
def test_an_earlier_journal_that_is_none_is_refused(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, data: bytes
) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "journal.sqlite").write_bytes(data)
    with pytest.raises(InputError, match="journal"):
        hold(tmp_path / "run", spec_of(cultural, endpoint), reuse=(str(tmp_path / "old"),))


def test_a_folder_without_a_journal_cannot_be_reused(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    with pytest.raises(InputError, match=r"--reuse .*none: no run; expected a folder with journal\.sqlite"):
        hold(tmp_path / "run", spec_of(cultural, endpoint), reuse=(str(tmp_path / "none"),))


@contextmanager
def with_nobodys_rights() -> Iterator[None]:
    """The system lets its owner write anywhere, so those are laid down for a while."""
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(mine)


@pytest.mark.parametrize("cut_off", [False, True])
def test_an_earlier_run_on_a_medium_that_can_only_be_read_is_reused(
    cultural: Path, endpoint: Endpoint, cut_off: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:  # which others may look into
        run = Path(folder, "run")
        assert hold(run, spec_of(cultural, endpoint))
        if cut_off:
            (run / "journal.sqlite-wal").write_bytes(b"what was last said")
        for path, mode in ((Path(folder), 0o755), (run, 0o555), *((path, 0o444) for path in run.iterdir())):
            path.chmod(mode)
        told = pytest.raises(InputError, match="the run was cut off, and its folder can only be read; copy it first")
        with with_nobodys_rights(), told if cut_off else nullcontext():
            EarlierJournal(run / "journal.sqlite").close()
            assert len(list(read_entries(run / "journal.sqlite"))) == 96
        run.chmod(0o755)
