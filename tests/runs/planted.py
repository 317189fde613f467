"""Errors planted in mores itself, and commands typed in this process to see what becomes of them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mores.benchmarks import catalogue
from mores.cli import main
from tests.benchmarks.plays import TINY

FILES = ("transcripts.jsonl", "verdicts.jsonl", "estimates.json", "manifest.json")


class Typed(NamedTuple):
    """What a command ended with and what it said."""

    status: int
    out: str
    err: str


Type = Callable[..., Typed]


def typing_in(patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Type:
    """A function that carries out a command in this process."""

    def type_(*words: object) -> Typed:
        patch.setattr(sys, "argv", ["mores", *map(str, words)])
        capsys.readouterr()
        try:
            status = main._exit()
        except SystemExit as end:
            status = int(end.code or 0)
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return Typed(status, said.out, said.err)

    return type_


def words_for(name: str, folder: Path, limit: int = 3) -> list[object]:
    """What is typed for a small simulated run of a benchmark."""
    data = [] if name.startswith("ladder") else ["--data", TINY / name.partition("/")[0]]
    return ["run", name, "--limit", limit, *data, "--out", folder, "--concurrency", 4]


def plant(patch: pytest.MonkeyPatch, kind: Any, name: str, error: BaseException, on: Callable[[int], bool]) -> None:
    """Have an asynchronous method raise an error on some of its calls, counted from 1."""
    real, calls = getattr(kind, name), [0]

    async def planted(self: object, *given: Any) -> Any:
        calls[0] += 1
        if on(calls[0]):
            raise error
        return await real(self, *given)

    patch.setattr(kind, name, planted)


def kind_of(name: str) -> Any:
    """The class of a benchmark, which has its `play` and its `judge`."""
    return type(catalogue.load(name))


def raising(error: Exception) -> Callable[..., Any]:
    """A function that raises an error, whatever it is given."""

    def raises(*_: Any, **__: Any) -> Any:
        raise error

    return raises
