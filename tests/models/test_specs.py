"""From a typed name to a model: what cannot be used is one clear line."""

import asyncio
from pathlib import Path

import pytest

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.facts import facts_of
from mores.models.specs import Connection, is_real, is_simulated, known_specs, open_model

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
    for name in ("OPENAI", "OPENROUTER", "TOGETHER", "GROQ", "DEEPSEEK", "MISTRAL", "GEMINI", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_API_KEY", "k")
    baselines = [spec for spec in kinds["baseline"] if not spec.endswith(":FOLDER")]  # needs a model; tested apart
    specs = [*kinds["simulated"], *baselines, f"recorded/{recorded}", *kinds["endpoints"]]
    for spec in specs:
        model = open_model(spec, SEED, Connection())
        assert model.spec == spec
        assert model.simulated == is_simulated(spec)
        assert model.sealed != is_real(spec)
        asyncio.run(model.close())


def test_an_endpoint_is_known_without_its_port_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden")
    model = open_model("openai/m", SEED, Connection(base_url="https://api.example.org:8443/v1/"))
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
