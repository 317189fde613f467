"""A provider with a protocol of its own is one file of another package: it runs, resumes, prices, lists and reports."""

import json
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.models.listener import Heard, Listener, Say, listening
from tests.runs.conduct import manifest
from tests.runs.conduct import mores as typed_anew

MODULE = """
from mores.models.credentials import Home
from mores.models.provider import Body, Provider, ProviderFormat
from mores.models.registry import open_chat


def write(body: Body) -> Body:
    asked = [f"{each['role']}: {each['content']}" for each in body["messages"]]
    told = {name: body[name] for name in ("temperature", "ponder") if name in body}
    return {"engine": body["model"], "asked": asked, "at_most": body.get("max_tokens"), **told}


def read(answer: Body) -> Body:
    message = {"content": answer["said"], "reasoning_content": answer.get("pondered")}
    finish = {"done": "stop", "at_most": "length"}[answer["why"]]
    usage = {"prompt_tokens": answer["paid"][0], "completion_tokens": answer["paid"][1]}
    return {"choices": [{"message": message, "finish_reason": finish}], "model": "toy-1", "usage": usage}


PROVIDER = Provider(
    name="toy",
    open=open_chat,
    elsewhere=True,
    home=Home("HOME", "TOY_KEY"),
    form=ProviderFormat(
        path="ask", key_header="X-Toy-Key", key_prefix="", headers={"X-Toy-Version": "7"}, write=write, read=read
    ),
    thinking={"off": {"ponder": False}, "on": {"ponder": True}},
    price=lambda model: (2.0, 8.0) if model == "small" else None,
)
"""
ANSWER = {"said": "True", "why": "done", "paid": [20, 1]}


def answers(heard: Heard) -> Say:
    """What the provider says; it thinks where it is told to."""
    asked = json.loads(heard.body)
    pondered = {"pondered": "Hm."} if asked.get("ponder") else {}
    return Say(json.dumps({**ANSWER, **pondered}).encode())


class Toy:
    """The package as it would be installed, and the provider's server."""

    def __init__(self, site: Path, listener: Listener) -> None:
        self.site, self.listener = site, listener
        (site / "toy_provider.py").write_text(MODULE.replace("HOME", listener.url))
        about = site / "toy_provider-1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-provider\nVersion: 1\n")
        (about / "entry_points.txt").write_text("[mores.models]\ntoy = toy_provider:PROVIDER\n")

    def type_(self, *words: str, key: str = "k-4711") -> CompletedProcess[str]:
        """A command where the package is installed."""
        before = partial(install, self.site)
        return typed_anew(*words, cwd=self.site, seconds=120, before=before, TOY_KEY=key)


def install(site: Path) -> None:
    sys.path.insert(0, str(site))


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Toy]:
    with listening(answers) as listener:
        yield Toy(tmp_path, listener)


RUN = ("run", "ladder/know", "--limit", "3", "--model", "toy/small")


def test_it_runs_in_its_own_form_and_resumes_for_nothing(toy: Toy) -> None:
    done = toy.type_(*RUN, "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    asked = toy.listener.heard[-1]
    body = json.loads(asked.body)
    assert asked.target == "/v1/ask"
    assert (asked.headers["X-Toy-Key"], asked.headers["X-Toy-Version"]) == ("k-4711", "7")
    assert "Authorization" not in asked.headers
    assert body["engine"] == "small"
    assert body["asked"][-1].startswith("user: ")
    calls = len(toy.listener.heard)
    again = toy.type_("resume", "run", "--json")
    assert (again.stdout, len(toy.listener.heard)) == (done.stdout, calls)
    shown = toy.type_("report", "run", "--full").stdout
    assert "toy/small" in shown


def test_its_price_is_the_providers_and_stands_in_the_plan_and_the_manifest(toy: Toy) -> None:
    dry = toy.type_(*RUN, "--dry").stdout
    assert re.search(r"\$0\.0\d+", dry), dry
    assert "the provider toy" in dry
    toy.type_(*RUN, "--out", "run")
    (about,) = manifest(toy.site / "run")["models"].values()
    assert about["price"]["per_token"] == [2e-6, 8e-6]
    unpriced = toy.type_("run", "ladder/know", "--limit", "3", "--model", "toy/large", "--max-cost", "1")
    assert "no price is known for toy/large" in unpriced.stderr


def test_it_thinks_in_its_own_words(toy: Toy) -> None:
    done = toy.type_(*RUN, "--thinking", "on", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert json.loads(toy.listener.heard[-1].body)["ponder"] is True
    refused = toy.type_(*RUN, "--thinking", "high", "--out", "other")
    assert "toy cannot be told so; it takes off, on" in refused.stderr


def test_it_is_listed_and_the_doctor_looks_for_its_key(toy: Toy) -> None:
    listed = toy.type_("list", "models").stdout
    assert "toy/MODEL" in listed
    assert "TOY_KEY" in listed
    assert "TOY_KEY" in toy.type_("doctor").stdout


def test_an_answer_in_another_form_is_no_answer_and_says_so(toy: Toy) -> None:
    with listening(lambda _: Say(b'{"says": "True"}')) as other:
        done = toy.type_(*RUN, "--base-url", other.url, "--out", "run")
    assert done.returncode != 0
    assert "has not the provider's form" in done.stderr


def test_a_key_that_is_missing_is_named_before_any_call(toy: Toy) -> None:
    done = toy.type_(*RUN, "--out", "run", key="")
    assert "no key; set TOY_KEY" in done.stderr
    assert not toy.listener.heard
