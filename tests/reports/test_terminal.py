"""The table on a terminal."""

from pathlib import Path

import pytest

from mores.analysis.results import Results
from mores.reports.page import write_page
from mores.reports.terminal import print_full
from mores.runs.loading import read_results
from mores.tables import formatting
from tests.reports.conftest import Held

Screen = pytest.CaptureFixture[str]


def flat(text: str) -> str:
    return " ".join(text.split())


def test_it_fits_eighty_columns_in_a_pipe(found: Results, ladder: Path, capsys: Screen) -> None:
    print_full(found, ladder / "report.html")
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert out.splitlines() == [line.rstrip() for line in out.splitlines()]


def test_headlines_stand_with_interval_and_counts(found: Results, ladder: Path, capsys: Screen) -> None:
    print_full(found, ladder / "report.html")
    out = flat(capsys.readouterr().out)
    for evaluation in found.evaluations:
        whole = evaluation.overall()
        assert whole is not None
        assert f"{formatting.format_number(whole.value)} {formatting.format_interval(whole)}" in out
        assert formatting.format_graded(whole) in out
        assert not evaluation.causes() or f"({formatting.format_causes(evaluation.causes())})" in out


def test_what_was_made_up_is_said_to_be(found: Results, ladder: Path, held: Held, capsys: Screen) -> None:
    print_full(found, ladder / "report.html")
    assert formatting.SIMULATED in flat(capsys.readouterr().out)
    run = held("ladder/judge", models=("baseline/first",), limit=9)
    print_full(read_results([run]), run / "report.html")
    assert "Simulated" not in capsys.readouterr().out


def test_departures_from_the_protocol_are_named(held: Held, capsys: Screen) -> None:
    run = held("ladder/judge", limit=9, temperature=0.5)
    print_full(read_results([run]), run / "report.html")
    assert "temperature 0.5 (published: 0.0)" in flat(capsys.readouterr().out)


def test_what_a_card_leaves_open_is_told_in_words(held: Held, capsys: Screen) -> None:
    run = held("ladder/live", limit=2, temperature=0.0, answer_tokens=400)
    print_full(read_results([run]), run / "report.html")
    out = flat(capsys.readouterr().out)
    assert "temperature 0.0 (published: left to the provider)" in out
    assert "answer tokens 400 (published: no limit)" in out


def test_it_says_where_the_page_lies_once_there_is_one(held: Held, capsys: Screen) -> None:
    run = held("ladder/judge", limit=9)
    print_full(read_results([run]), run / "report.html")
    assert "report.html" not in capsys.readouterr().out
    write_page(read_results([run]), run / "report.html")
    print_full(read_results([run]), run / "report.html")
    assert str(run / "report.html") in capsys.readouterr().out
