"""Gates read every layout that mores builds or runs: a table is known by its columns, and items have their norms."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mores.cli.app import app
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.norms.pack import load_pack
from mores.pipelines.gates.check import check_items
from mores.pipelines.gates.data_checks import PublicTexts
from mores.pipelines.gates.layouts import items_of

TINY = Path(__file__).parents[1] / "benchmarks" / "tiny"
TABLES = {
    "culturalbench/culturalbench-easy.csv": {"options"},
    "culturalbench/culturalbench-hard.csv": {"options"},
    "cure/casa.csv": {"label", "norms", "topic"},
    "cure/culbank.csv": {"label"},
    "cure/normad.csv": {"label", "norms"},
    "cure/specnorm.csv": {"label", "norms"},
    "socialcc/socialcc.csv": {"norms", "topic"},
    "cultureforest": {"options", "norms", "topic"},
    "ladder": {"options", "label", "norms", "topic"},
}


@pytest.mark.parametrize(("source", "has"), TABLES.items())
def test_each_layout_gives_what_its_gates_need(source: str, has: set[str]) -> None:
    checked = items_of(str(TINY / source))
    assert all(len(sha) >= 12 for sha in checked.made_from.values())
    assert len({item.id for item in checked.items}) == len(checked.items)
    assert all(item.stem and item.norm for item in checked.items)
    fields = ("options", "label", "norms", "topic")
    assert {name for name in fields if any(getattr(item, name) for item in checked.items)} == has
    assert all(set(item.right) <= set(range(len(item.options))) for item in checked.items)
    gates = check_items(checked.items, PublicTexts(), Seed("mores-0"))
    assert all(gate.threshold and gate.n for gate in gates if gate.passed is not None)
    assert all(gate.why for gate in gates if gate.passed is None)


def test_statements_of_the_hard_table_are_put_together_by_question() -> None:
    hard = items_of(str(TINY / "culturalbench" / "culturalbench-hard.csv")).items
    assert {len(item.options) for item in hard} == {4}
    assert {len(item.right) for item in hard} > {1}


def test_a_pack_is_checked_on_all_its_rungs(tmp_path: Path) -> None:
    bundled = Counter(item.id.partition("-")[0] for item in items_of("pack").items if not item.boundary)
    assert set(bundled) == {"know", "judge", "explain", "apply", "converse", "live"}
    assert bundled["know"] == bundled["judge"] == 2 * bundled["explain"] == 2 * bundled["converse"]
    assert bundled["apply"] == len(load_pack().bundles)
    whole = (TINY / "ladder" / "DE.toml").read_text(encoding="utf-8")
    lived = '[norm.live]\nkind = "mall"\ntask = "Buy bread on the way home."\n\n[norm.know]'
    (tmp_path / "DE.toml").write_text(whole.replace("[norm.know]", lived, 1), encoding="utf-8")
    assert [item.stem for item in items_of(str(tmp_path)).items if item.id.startswith("live-")] == [
        "Buy bread on the way home."
    ]


def test_a_scenario_is_held_against_what_its_subject_is_told_and_not_against_its_norms(tmp_path: Path) -> None:
    with (TINY / "socialcc" / "socialcc.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rows[0]["Event_1"] += f" {rows[0]['Cultural Knowledge_1']}"
    with (tmp_path / "socialcc.csv").open("w", encoding="utf-8", newline="") as file:
        written = csv.DictWriter(file, rows[0].keys())
        written.writeheader()
        written.writerows(rows)
    gates = {
        gate.name: gate
        for gate in check_items(items_of(str(tmp_path / "socialcc.csv")).items, PublicTexts(), Seed("s"))
    }
    assert f"socialcc-{rows[0]['Data_ID']}" in gates["norm in the question"].items


def test_a_source_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected pack"):
        items_of("/nowhere")
    (tmp_path / "x.csv").write_text("one,two\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"columns are one, two; expected a table of culturalbench"):
        items_of(str(tmp_path / "x.csv"))


def test_one_place_of_a_pack_is_checked_alone() -> None:
    source = str(TINY / "ladder")
    whole = items_of(source)
    alone = whole.of_place("JP")
    assert whole.pack is not None
    assert alone.pack is not None
    assert {item.place for item in alone.items} == {entry.norm.place for entry in alone.pack.norms} == {"JP"}
    assert len(alone.items) < len(whole.items)
    assert all(bundle in whole.pack.bundles for bundle in alone.pack.bundles)
    said = CliRunner().invoke(app, ["build", "check", source, "--place", "Japan", "--json"])
    assert json.loads(said.stdout)["items"] == len(alone.items)
    none = CliRunner().invoke(app, ["build", "check", source, "--place", "Vatican City"])
    assert "--place Vatican City: " in str(none.exception)
    assert "has no questions of" in str(none.exception)
