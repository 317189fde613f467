"""What a model costs, where whoever runs it says so."""

import json
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.models.budget import FREE, Price, given_prices
from mores.models.facts import check_models, facts_of, read_facts
from mores.models.request import Usage
from tests.endpoint import Endpoint
from tests.models.listener import Say, listening
from tests.runs.conduct import Typed, manifest

PRICE = ("--fact", "price_in=1000", "--fact", "price_out=4000")
BODY = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 80}},
}


def words(cultural: Path, url: str, *more: object) -> tuple[object, ...]:
    return ("run", "culturalbench/easy", "--data", cultural, "-m", "vllm/m", "--base-url", url, *more)


def test_a_price_is_in_dollars_a_million_tokens() -> None:
    found = given_prices({"price_in": "2", "price_out": "10", "price_cached": "0.5"}, ["vllm/m"], ())["vllm/m"]
    assert found.of(Usage(input=1_000_000, output=100_000)) == pytest.approx(3.0)
    assert found.of(Usage(input=1_000_000, cached=600_000)) == pytest.approx(0.4 * 2 + 0.6 * 0.5)
    assert found.of(Usage(input=10, cached=99)) == pytest.approx(10 * 0.5e-6)  # no more than came is cached
    assert found.of(Usage(input=1_000_000, batch=True)) == pytest.approx(1.0)
    without = Price(2e-6, 10e-6)
    assert without.of(Usage(input=1_000_000, cached=600_000)) == pytest.approx(2.0)


def test_each_model_has_a_price_of_its_own_and_roles_only_by_name() -> None:
    facts = read_facts(["price_in=1", "price_out=2", "vllm/b:8b:price_in=3", "vllm/b:8b:price_out=4",
                        "openai/judge:price_in=0", "openai/judge:price_out=0"])  # fmt: skip
    found = given_prices(facts, ["vllm/a", "vllm/b:8b", "simulated/typical"], ["openai/judge", "vllm/other"])
    assert {spec: (price.input * 1e6, price.output * 1e6) for spec, price in found.items()} == {
        "vllm/a": (1.0, 2.0), "vllm/b:8b": (3.0, 4.0), "openai/judge": (0.0, 0.0),
    }  # fmt: skip
    check_models(facts, ["vllm/a", "vllm/b:8b"], ["openai/judge"])
    assert facts_of("vllm/a", facts).family is None


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1e999", "free", "$1", "1_0", "0x1"])
@pytest.mark.parametrize("name", ["price_in", "price_out", "price_cached", "vllm/m:price_in"])
def test_what_is_no_price_is_refused(typed: Typed, cultural: Path, name: str, value: str) -> None:
    done = typed(*words(cultural, "http://127.0.0.1:9/v1", *PRICE, "--fact", f"{name}={value}", "--out", "run"))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert f"--fact {name}={value}: expected US dollars for a million tokens, 0 or more" in line


@pytest.mark.parametrize(
    "half", [["price_in=1"], ["price_out=1"], ["price_cached=1"], ["price_in=1", "price_cached=1"]]
)
def test_half_a_price_is_refused(half: list[str]) -> None:
    with pytest.raises(InputError, match="half a price of vllm/m; expected both price_in and price_out"):
        given_prices(read_facts(half), ["vllm/m"], ())


def test_a_budget_in_money_holds_at_an_address_of_ones_own(
    tmp_path: Path, typed: Typed, cultural: Path, endpoint: Endpoint
) -> None:
    more = ("--max-cost", "0.2", "--out", "run")
    without = typed(*words(cultural, endpoint.url, *more))
    assert without.returncode == 2
    assert "say it in US dollars for a million tokens: --fact vllm/m:price_in=0.1" in without.stderr
    done = typed(*words(cultural, endpoint.url, *PRICE, *more))
    assert done.returncode == 1
    assert "The budget of $0.20 is used up" in done.stderr
    assert 0 < manifest(tmp_path / "run")["models"]["vllm/m"]["price"]["spent_so_far"] <= 0.2


def test_a_dry_run_a_run_and_its_report_count_by_the_price(
    tmp_path: Path, typed: Typed, cultural: Path, endpoint: Endpoint
) -> None:
    dry = typed(*words(cultural, endpoint.url, *PRICE, "--dry", "--json"))
    (cell,) = json.loads(dry.stdout)["cells"]
    assert cell["cost"] == pytest.approx((1000 * cell["input_tokens"] + 4000 * cell["output_tokens"]) / 1e6)
    assert cell["prices"] == "price given by the user"
    assert typed(*words(cultural, endpoint.url, *PRICE, "--out", "run")).returncode == 0
    model = manifest(tmp_path / "run")["models"]["vllm/m"]
    sitting, price = model["sitting"], model["price"]
    assert price["table"] == "price given by the user"
    assert price["per_token"] == pytest.approx([0.001, 0.004])
    spent = 0.001 * sitting["input_tokens"] + 0.004 * sitting["output_tokens"]
    assert price["spent_so_far"] >= round(spent, 6)  # the probe is paid for too
    assert f"at most ${spent:.4f} (price given by the user)" in (tmp_path / "run" / "report.html").read_text()


def test_what_came_from_a_cache_has_a_price_of_its_own_in_the_report(
    tmp_path: Path, typed: Typed, cultural: Path
) -> None:
    with listening(lambda _: Say(json.dumps(BODY).encode())) as listener:
        more = ("--limit", 5, *PRICE, "--fact", "price_cached=0", "--out", "run")
        assert typed(*words(cultural, listener.url, *more)).returncode == 0
    assert manifest(tmp_path / "run")["models"]["vllm/m"]["sitting"]["cached_tokens"] == 5 * 80
    told = f"at most ${5 * (20 * 0.001 + 0.004):.4f} (price given by the user)"
    assert told in (tmp_path / "run" / "report.html").read_text()


def test_nothing_is_a_price(tmp_path: Path, typed: Typed, cultural: Path, endpoint: Endpoint) -> None:
    free = ("--fact", "price_in=0", "--fact", "price_out=0", "--max-cost", "0", "--limit", 3, "--out", "run")
    assert typed(*words(cultural, endpoint.url, *free)).returncode == 0


def test_what_runs_here_stays_free() -> None:
    assert given_prices({"price_in": "1", "price_out": "1"}, ["simulated/typical"], ()) == {}
    assert FREE.source.startswith("genai-prices")
