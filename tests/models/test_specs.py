"""From a typed name to a model: what cannot be used is one clear line."""

import asyncio
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.facts import billions, check_models, facts_of, known_models, read_facts, year
from mores.models.registry import Connection, is_real, is_simulated, known_specs, open_model
from mores.norms.places import place

SEED = Seed("test")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("", "no model; expected KIND/NAME"),
        ("gpt-4o", "no model; expected KIND/NAME, such as openai/gpt-4o"),
        ("openai/", "no model; expected KIND/NAME"),
        ("opnai/gpt-4o", "No kind of model is called 'opnai'. Did you mean 'openai'"),
        ("simulated/typcal", "No simulated respondent is called 'typcal'. Did you mean 'typical'?"),
        ("simulated/typical:know=1.1", "'know=1.1' is no setting; expected NAME=PROBABILITY with 0 to 1"),
        ("simulated/typical:know", "'know' is no setting"),
        ("simulated/typical:know=nan", "'know=nan' is no setting"),
        ("simulated/typical:knwo=.5", "No parameter is called 'knwo'. Did you mean 'know'?"),
        ("simulated/typical:JP.knwo=.5", "No parameter is called 'knwo'. Did you mean 'know'?"),
        ("baseline/frist", "No baseline is called 'frist'. Did you mean 'first'?"),
        ("recorded/none.csv", "none.csv: cannot be read (No such file or directory)"),
        ("openai/gpt-4o", "openai/gpt-4o: no key; set OPENAI_API_KEY in the environment."),
    ],
)
def test_what_cannot_be_used_is_one_clear_line(spec: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError) as error:
        open_model(spec, SEED, Connection())
    assert why in str(error.value)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x/v1", "http://", "/v1", "http:///v1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="expected one such as http://localhost:8000/v1"):
        open_model("vllm/m", SEED, Connection(base_url=url))


def test_every_known_spec_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = known_specs()
    recorded = tmp_path / "r.csv"
    recorded.write_text("item,reply\n1,True\n")
    for name in ("OPENAI", "OPENROUTER", "TOGETHER", "GROQ", "DEEPSEEK", "MISTRAL", "GEMINI", "ANTHROPIC",
                 "DASHSCOPE"):  # fmt: skip
        monkeypatch.setenv(f"{name}_API_KEY", "k")
    baselines = [spec for spec in kinds["baseline"] if not spec.endswith(":FOLDER")]  # needs a model; tested apart
    specs = [*kinds["simulated"], *baselines, f"recorded/{recorded}", *kinds["endpoints"]]
    for spec in specs:
        model = open_model(spec, SEED, Connection())
        assert model.spec == spec
        assert model.simulated == is_simulated(spec)
        assert model.reads_key != is_real(spec)
        asyncio.run(model.close())


def test_an_endpoint_is_known_without_its_port_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden")
    model = open_model("openai/m", SEED, Connection(typed=True, base_url="https://api.example.org:8443/v1/"))
    assert model.identity == "https://api.example.org/v1"


@pytest.mark.parametrize("url", ["https://me:hush@api.example.org/v1", "https://api.example.org/v1?key=hush"])
def test_an_address_with_a_secret_is_refused_and_the_secret_not_said(url: str) -> None:
    with pytest.raises(InputError, match="a key goes into the environment") as error:
        open_model("vllm/m", SEED, Connection(base_url=url))
    assert "hush" not in str(error.value)


def test_known_facts_come_from_the_longest_name_and_given_ones_win() -> None:
    assert facts_of("simulated/typical", {}).family == "simulated"
    assert facts_of("vllm/unheard-of", {}).family is None
    assert facts_of("vllm/unheard-of", {"family": "heard"}).family == "heard"
    with pytest.raises(InputError, match=r"--fact: No fact is called 'famly'\. Did you mean 'family'"):
        facts_of("vllm/m", {"famly": "x"})


@pytest.mark.parametrize(
    ("spec", "family", "released"),
    [
        ("openai/gpt-4o", "GPT-4o", "2024-05"),
        ("openai/gpt-4o-2024-08-06", "GPT-4o", "2024-08"),
        ("openrouter/anthropic/claude-3.5-sonnet", "Claude 3.5", "2024-06"),
        ("ollama/llama3.1:8b-instruct-q4_K_M", "Llama 3.1", "2024-07"),
        ("vllm/meta-llama/Meta-Llama-3.1-8B-Instruct", "Llama 3.1", "2024-07"),
        ("vllm/Qwen/Qwen3-30B-A3B-Instruct-2507", "Qwen3", "2025-07"),
        ("openai/gpt-4o-audio", None, None),
        ("openai/gpt-5.9", None, None),
        ("vllm/Qwen/Qwen2.5-Coder-7B-Instruct", None, None),
    ],
)
def test_a_model_has_the_facts_of_its_own_name_and_of_no_other_version(
    spec: str, family: str | None, released: str | None
) -> None:
    found = facts_of(spec, {})
    assert (found.family, found.released) == (family, released)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("Qwen/Qwen3.5-0.8B", 0.8), ("Qwen/Qwen3.5-2B", 2), ("Qwen/Qwen3.5-4B", 4), ("Qwen/Qwen3.5-9B", 9),
        ("Qwen/Qwen3.5-27B", 27), ("Qwen/Qwen3.5-35B-A3B", 35), ("microsoft/Phi-3.5-mini-instruct", 3.8),
        ("meta-llama/Llama-2-7b-chat-hf", 7), ("llama2:13b-chat", 13), ("meta-llama/Llama-2-70b-chat-hf", 70),
        ("mistralai/Ministral-3-8B-Reasoning-2512", 8.4), ("mistralai/Ministral-3-14B-Reasoning-2512", 13.5),
        ("llama-4-scout", 109), ("mistralai/Mistral-7B-Instruct-v0.3", 7.3), ("microsoft/phi-4", 14),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", 109), ("qwen/qwen2.5-72b-instruct", 72.7),
    ],
)  # fmt: skip
def test_models_of_the_papers_with_published_sizes_have_them(name: str, size: float) -> None:
    found = facts_of(f"vllm/{name}", {})
    assert found.parameters is not None
    assert (billions(found.parameters), found.tier) == (size, None)


@pytest.mark.parametrize(
    "order",
    [
        ("claude-3-haiku-20240307", "claude-3-sonnet-20240229", "claude-3-opus-20240229"),
        ("claude-sonnet-4-20250514", "claude-opus-4-20250514"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-2024-08-06"),
        ("gpt-4.1-nano", "gpt-4.1-mini", "gpt-4.1-2025-04-14"),
        ("gemini-2.5-flash-lite", "gemini-2.5-flash", "gemini-2.5-pro"),
    ],
)
def test_models_whose_sizes_are_not_published_have_a_tier_within_their_family(order: tuple[str, ...]) -> None:
    found = [facts_of(f"x/{name}", {}) for name in order]
    assert len({each.family for each in found}) == 1
    assert [each.parameters for each in found] == [None] * len(order)
    tiers = [int(each.tier or 0) for each in found]
    assert tiers == sorted(set(tiers))
    assert tiers[0] > 0


def test_mistral_small_of_february_2024_is_known_without_a_size() -> None:
    found = facts_of("mistral/mistral-small-2402", {})
    assert (found.family, found.parameters, found.released) == ("Mistral Small", None, "2024-02")


def test_facts_of_one_model_go_before_those_of_all() -> None:
    given = {"simulated/typical:know=.2:parameters": "8", "parameters": "70", "vllm/llama3:8b:home": "US"}
    assert facts_of("simulated/typical:know=.2", given).parameters == "8"
    assert facts_of("simulated/typical", given).parameters == "70"
    assert (facts_of("vllm/llama3:8b", given).home, facts_of("vllm/llama3:8b", given).parameters) == ("US", "70")


def test_facts_are_typed_for_all_models_or_for_one() -> None:
    typed = ["home=CN", "ollama/llama3:8b:parameters=8", "simulated/typical:know=.2,person=1:released=2025-04"]
    assert read_facts(typed) == {
        "home": "CN",
        "ollama/llama3:8b:parameters": "8",
        "simulated/typical:know=.2,person=1:released": "2025-04",
    }
    with pytest.raises(InputError, match=r"--fact home: expected NAME=VALUE, or MODEL:NAME=VALUE\."):
        read_facts(["home"])
    with pytest.raises(InputError, match=r"--fact: No fact is called 'size'"):
        facts_of("vllm/m", read_facts(["vllm/m:size=8"]))


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("parameters=8B", "billions such as 8"),
        ("released=May 2024", "a date such as"),
        ("released=2024-13", "a date"),
        ("tier=large", "a rank"),
    ],
)
def test_a_fact_that_nothing_can_be_counted_by_is_refused(fact: str, expected: str) -> None:
    with pytest.raises(InputError, match=f"--fact {fact}: expected .*{expected}"):
        facts_of("vllm/m", read_facts([fact]))


def test_a_fact_of_a_model_that_nobody_asks_is_refused() -> None:
    with pytest.raises(InputError, match=r"--fact: No model is called 'vllm/n'.*The run has vllm/m\."):
        check_models({"vllm/n:home": "US"}, ["vllm/m"])


def test_every_known_model_says_where_its_facts_can_be_looked_up() -> None:
    for name in known_models():
        found = facts_of(f"x/{name}", {})
        assert found.source is not None, name
        assert found.source.startswith("https://"), name
        assert found.family, name
        assert found.provider, name
        assert found.home is not None, name
        assert found.parameters is None or found.tier is None, name
        assert place(found.home).region or place(found.home).continent, name
        assert found.reasoning in {"on", "off", None}, name
        assert found.parameters is None or billions(found.parameters) > 0, name
        assert found.released is None or 2018 < year(found.released) < 2027, name


def test_sizes_and_dates_are_read_as_numbers() -> None:
    assert (billions("671/37"), billions("7.6")) == (671.0, 7.6)
    assert (year("2025"), year("2025-07")) == (2025.0, 2025.5)
    assert year("2025-07-31") < year("2025-08")
