"""Four programs give equal figures of the same 200 replies, and docs/hosts.md shows them."""

from pathlib import Path

import pytest

from tests.integrations.same_figures import DOCUMENT, PROGRAMS, SHOWN, THIN, found, rows

KINDS = tuple(f"accuracy_{kind}_" for kind in ("place", "continent", "region", "wvs_group", "mode"))
"""Beginnings of the names of groups, of which lm-eval shows none."""


def shown(name: str) -> list[list[str]]:
    """The cells of a benchmark in the document, a row a figure."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith(f"| `{name}` | `accuracy` |"))
    return [line.split(" | ") for line in lines[first : first + len(SHOWN[name])]]


@pytest.mark.parametrize("name", SHOWN)
def test_the_document_shows_the_figures_of_a_run_for_every_program(name: str, tmp_path: Path) -> None:
    own = [row.split(" | ") for row in rows(name, found(name, tmp_path, PROGRAMS[:1]))]
    cells = shown(name)
    assert [row[:3] for row in cells] == [row[:3] for row in own]
    for row in cells:
        others = {value.removesuffix(" |\n") for value in row[3:]}
        assert others <= {row[2], "–"}
        assert row[2] in others


@pytest.mark.neighbours
@pytest.mark.parametrize("name", SHOWN)
def test_inspect_and_lm_eval_give_the_figures_of_a_run(name: str, tmp_path: Path) -> None:
    figures = found(name, tmp_path, PROGRAMS[:3])
    assert figures["inspect eval"] == figures["mores run"]
    groups = {metric for metric in figures["mores run"] if metric.startswith(KINDS)}
    whole = {metric: value for metric, value in figures["mores run"].items() if metric not in groups}
    assert figures["lm-eval run"] == whole


@pytest.mark.helm
def test_helm_gives_the_figures_of_a_run(tmp_path: Path) -> None:
    figures = found(THIN, tmp_path, (PROGRAMS[0], PROGRAMS[3]))
    assert figures["helm-run"] == figures["mores run"]
