"""The table on a terminal."""

from pathlib import Path

import pytest

from mores.reports import wording
from mores.reports.findings import Findings, read_findings
from mores.reports.page import write_page
from mores.reports.terminal import print_table
from tests.reports.conftest import Held

Screen = pytest.CaptureFixture[str]


def flat(text: str) -> str:
    return " ".join(text.split())


def test_it_fits_eighty_columns_in_a_pipe(found: Findings, ladder: Path, capsys: Screen) -> None:
    print_table(found, ladder)
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert out.splitlines() == [line.rstrip() for line in out.splitlines()]


def test_headlines_stand_with_interval_and_counts(found: Findings, ladder: Path, capsys: Screen) -> None:
    print_table(found, ladder)
    out = flat(capsys.readouterr().out)
    for cell in found.cells:
        whole = cell.whole()
        assert whole is not None
        assert f"{wording.number(whole.value)} {wording.interval(whole)}" in out
        assert wording.counted(whole) in out
        assert not cell.causes() or f"({wording.told_causes(cell.causes())})" in out


def test_what_was_made_up_is_said_to_be(found: Findings, ladder: Path, held: Held, capsys: Screen) -> None:
    print_table(found, ladder)
    assert wording.SIMULATED in flat(capsys.readouterr().out)
    run = held("ladder/judge", models=("baseline/first",), limit=9)
    print_table(read_findings([run]), run)
    assert "Simulated" not in capsys.readouterr().out


def test_departures_from_the_protocol_are_named(held: Held, capsys: Screen) -> None:
    run = held("ladder/judge", limit=9, temperature=0.5)
    print_table(read_findings([run]), run)
    assert "temperature 0.5 (published: 0.0)" in flat(capsys.readouterr().out)


def test_what_a_card_leaves_open_is_told_in_words(held: Held, capsys: Screen) -> None:
    run = held("ladder/live", limit=2, temperature=0.0, answer_tokens=400)
    print_table(read_findings([run]), run)
    out = flat(capsys.readouterr().out)
    assert "temperature 0.0 (published: left to the provider)" in out
    assert "answer tokens 400 (published: no limit)" in out


def test_it_says_where_the_page_lies_once_there_is_one(held: Held, capsys: Screen) -> None:
    run = held("ladder/judge", limit=9)
    print_table(read_findings([run]), run)
    assert "report.html" not in capsys.readouterr().out
    write_page(read_findings([run]), run / "report.html")
    print_table(read_findings([run]), run)
    assert str(run / "report.html") in capsys.readouterr().out
