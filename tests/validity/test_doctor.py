"""`mores doctor statistics` on the command line, and its table in the documents."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mores.cli.app import app
from mores.core.errors import InputError, UnknownName
from mores.core.seeds import Seed
from mores.validity import runner
from mores.validity.promises import Experiment, alarm
from mores.validity.runner import EXPERIMENTS, chosen
from tests.validity.__main__ import PAGE, rows_in


def doctor(*words: str) -> Result:
    return CliRunner().invoke(app, ["doctor", "statistics", *words], standalone_mode=False)


def always(figure: float, name: str, *, naive: bool = False) -> Experiment:
    def draw(_: Seed) -> Sequence[float]:
        return (figure,)

    return Experiment(name=name, family="made up", promises=(alarm(name, naive=naive),), draws=100, draw=draw)


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """One process, so that made-up experiments are known in it."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    return monkeypatch


def plant(patch: pytest.MonkeyPatch, *experiments: Experiment) -> None:
    patch.setattr(runner, "EXPERIMENTS", experiments)
    patch.setattr(runner, "EXPERIMENTS", experiments)


def test_a_family_is_measured_and_printed_with_its_summary(made_up: pytest.MonkeyPatch) -> None:
    result = doctor("--only", "trust", "--draws", "100")
    assert result.return_value is None, result.output
    assert "trust or escalate" in result.stdout
    assert "must fail, and does" in result.stdout
    rows = [promise for one in chosen(["trust"]) for promise in one.promises]
    naive, said = sum(promise.naive for promise in rows), " ".join(result.stdout.split())
    assert f"{len(rows) - naive} of {len(rows) - naive} promises hold" in said
    assert f"{naive} of {naive} naive rules that must fail do" in said


def test_json_is_one_object_with_a_row_for_each_promise(made_up: pytest.MonkeyPatch) -> None:
    result = doctor("--only", "many claims", "--draws", "100", "--seed", "3", "--json")
    found = json.loads(result.stdout)
    assert (found["seed"], found["draws"], found["sound"]) == (3, 100, True)
    assert len(found["rows"]) == 10
    assert {"name", "nominal", "found", "error", "draws", "given", "power", "verdict", "sound"} <= set(found["rows"][0])
    assert "experiments" in result.stderr


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (always(1.0, "a wolf"), "DEPARTS"),
        (always(0.0, "a sheep", naive=True), "MUST FAIL, AND DOES NOT"),
        (always(float("nan"), "a mute"), "says nothing"),
    ],
)
def test_a_broken_promise_or_a_naive_rule_that_passes_ends_with_1(
    broken: Experiment, says: str, made_up: pytest.MonkeyPatch
) -> None:
    plant(made_up, always(0.0, "sound"), broken)
    result = doctor("--draws", "100")
    assert result.return_value == 1
    assert says in result.stdout


def test_sound_rows_end_with_0(made_up: pytest.MonkeyPatch) -> None:
    plant(made_up, always(0.0, "sound"), always(1.0, "naive", naive=True))
    assert doctor("--draws", "100").return_value is None


def test_the_long_form_draws_on_until_a_row_would_notice_two_points(made_up: pytest.MonkeyPatch) -> None:
    plant(made_up, always(0.0, "sound"), always(1.0, "naive", naive=True))
    short, long = (
        json.loads(doctor(*words, "--json").stdout)["rows"][0] for words in (("--draws", "100"), ("--long",))
    )
    assert short["power"] < 0.3 < 0.8 < long["power"]
    assert short["draws"] <= long["draws"]


def test_what_cannot_be_asked_for_is_one_line() -> None:
    assert isinstance(doctor("--draws", "10").exception, InputError)
    assert isinstance(doctor("--only", "astrology").exception, UnknownName)


def test_the_table_in_the_documents_has_the_rows_of_the_registry_and_none_departs() -> None:
    rows = rows_in(Path(PAGE).read_text(encoding="utf-8"))
    assert [row[:2] for row in rows] == [(one.family, p.name) for one in EXPERIMENTS for p in one.promises]
    assert {verdict.partition(",")[0] for _, _, verdict in rows} <= {"holds", "refuses", "must fail"}
    assert not any("DEPARTS" in verdict or "NOT" in verdict for _, _, verdict in rows)
