"""What is read at once is what the whole command line reads; all else is left to it."""

from dataclasses import fields
from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.cli import app, run
from mores.cli.args_run import RunArgs
from mores.cli.plainly import plain_run, typed_as

PLAIN = [
    "run",
    "run ladder",
    "run culturalbench/hard --model openai/x -m openai/y --data here --limit all --seed 3",
    "run cure ladder --judge a/b --judge c/d --role planner=e/f --temperature .7 --top-p 1 --max-cost 2.50 --json",
    "run study.toml --out=there --dry --full --controls --control masked --reading lenient --thinking 400 --places JP",
    "run --set a=b --set c=d --extra-body {} --base-url http://x/v1 --base-url judge=http://y/v1 --protocol paper",
]
LEFT = [
    "list", "", "--help", "run --help", "run --model", "run --limit -1", "run --seed one", "run --seed 1_0",
    "run --reading loose", "run --shuffle", "run --json=yes", "run --no-such-flag 1", "run -- ladder", "run --out ''",
    "run -mopenai/x", "run --seed=", "run --model --json", "run --temperature 1e3", "run --dat x",
]  # fmt: skip
VALUES = {str: "some words", int: "12", float: "0.5"}


def by_typer(words: list[str], patch: pytest.MonkeyPatch) -> RunArgs:
    taken: list[RunArgs] = []
    patch.setattr(run, "start", taken.append)
    patch.setattr("sys.argv", ["mores", *words])
    assert app.carry_out() == 0
    return taken[0]


@pytest.mark.parametrize("line", PLAIN)
def test_a_plain_run_is_read_as_the_whole_command_line_reads_it(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = plain_run(line.split())
    assert found is not None
    assert found == by_typer(line.split(), monkeypatch)


@pytest.mark.parametrize("line", LEFT)
def test_what_is_not_plain_is_left(line: str) -> None:
    assert plain_run([word.strip("'") for word in line.split(" ")]) is None


def test_every_flag_is_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["run"]
    for each in fields(RunArgs):
        kinds = {typed_as(each), *get_args(typed_as(each))}
        choices = [word for kind in kinds for word in get_args(kind) if type(kind) is type(Literal["a"])]
        flag = (each.metadata["flags"] or (f"--{each.name.replace('_', '-')}",))[0]
        if each.metadata["flags"] is None or bool in kinds:
            continue
        words += [
            flag,
            choices[0] if choices else next((VALUES[kind] for kind in (int, float) if kind in kinds), "a=b"),
        ]
    found = plain_run(words)
    assert found is not None
    assert found == by_typer(words, monkeypatch)


@given(st.lists(st.sampled_from(["--seed", "--json", "-m", "--limit", "x", "7", "-7", "--dry", "--out=x", "--", "="])))
def test_what_is_read_at_once_is_never_read_otherwise(words: list[str]) -> None:
    found = plain_run(["run", *words])
    with pytest.MonkeyPatch.context() as patch:
        assert found is None or found == by_typer(["run", *words], patch)
