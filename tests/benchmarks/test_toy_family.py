"""A family made as CONTRIBUTING says runs and shows, in a package of its own, whatever its metrics are called."""

import json
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.runs.conduct import mores

ROOT = Path(__file__).parents[2]
CARD = """
name = "manners/advice"
title = "Advice on manners"
version = "1-A"
measures = "Whether an act at table is known to be polite, and why."
not_measured = "Manners."
source = "own"
licence = "CC-BY-4.0"
items = 12
units = 12
clusters = "item"
headline = "accuracy"
groups = ["place"]
files = ["advice.csv"]
unit = "act"
metrics = [
  { name = "accuracy", says = "share with the right label and good reasons" },
  { name = "label_accuracy", says = "share with the right label" },
  { name = "DIMENSION", says = "mean points of the reasons" },
  { name = "OWN", says = "share of judged answers of at most 30 words" },
]

[protocol]
source = "own"
roles = ["subject", "judge"]
[protocol.sampling]
temperature = 0.0
[protocol.judging.sampling]
temperature = 0.0
"""
PROMPT = """+++
name = "{name}"
role = "{role}"
language = "en"
origin = "own"
+++
{words}
"""
PLACES = ("Japan", "Germany", "India")
CALLED: tuple[dict[str, str], ...] = (
    {},
    {"reasons": "behaviour", "short": "norm_score"},
    {"reasons": "norms", "short": "adherence_step"},
)
"""What the reasons and the figure of its own are called: also as metrics and tasks of other families."""


def package(folder: Path, called: dict[str, str]) -> Path:
    """The package as it would be installed: the code that CONTRIBUTING shows, a card, prompts and an entry point."""
    room = folder / "toy_manners"
    room.mkdir(parents=True)
    code = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )[1]
    for name, other in called.items():
        code = code.replace(f'"{name}"', f'"{other}"')
    (room / "__init__.py").write_text(code, encoding="utf-8")
    card = CARD.replace("DIMENSION", called.get("reasons", "reasons")).replace("OWN", called.get("short", "short"))
    (room / "advice.card.toml").write_text(card, encoding="utf-8")
    asks = "In [[place]], somebody does this: [[act]]\n\nIs it polite there? Say yes or no, and why."
    grades = "In [[place]]: [[why]]\n\n[[answer]]\n\nIs that the reason that the answer gives?\n\n[[form]]"
    for name, role, words in (("advice", "subject", asks), ("advice_rubric", "judge", grades)):
        text = PROMPT.format(name=f"manners.{name}.v1", role=role, words=words)
        (room / f"{name}.prompt.md").write_text(text, encoding="utf-8")
    told = folder / "toy_manners-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-manners\nVersion: 1\n", encoding="utf-8")
    point = "[mores.benchmarks]\nmanners/advice = toy_manners:benchmark\n"
    (told / "entry_points.txt").write_text(point, encoding="utf-8")
    rows = [f'{n},{PLACES[n % 3]},"Somebody does thing {n}.",{"yes" if n % 2 else "no"},"It is the custom, number {n}."'
            for n in range(12)]  # fmt: skip
    (folder / "advice.csv").write_text("\n".join(["id,country,act,polite,why", *rows]) + "\n", encoding="utf-8")
    return folder


def install(folder: Path) -> None:
    """Make its package known to this process."""
    sys.path.insert(0, str(folder))


def typed(folder: Path, *words: str) -> str:
    """What a command prints where the package is installed."""
    done = mores(*words, cwd=folder, seconds=120, before=partial(install, folder))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("called", CALLED, ids=["own names", "as a dialogue and a norm score", "as a day"])
def test_a_family_of_ones_own_runs_and_shows_and_is_not_taken_for_another(
    tmp_path: Path, called: dict[str, str]
) -> None:
    folder, own = package(tmp_path / "site", called), called.get("short", "short")
    out = typed(
        folder, "run", "manners/advice", "--data", str(folder), "--model", "simulated/typical", "--out", "run", "--json"
    )
    found: dict[str, Any] = json.loads(out)["benchmarks"]["manners/advice"]
    whole = {each["metric"]: each for each in found["estimates"] if not each["group"]}
    assert whole[own]["value"] == 1.0  # all of its made-up answers are short
    assert whole[own]["graded"] == 12
    report = json.loads(typed(folder, "report", "run", "--json", "--out", "page.html"))
    (row,) = report["analyses"][own][own]
    assert (row["model"], row[own]) == ("simulated/typical", 1.0)
    assert set(report["analyses"]) & {"social", "town", "forest"} == set()
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "Being short and being right" in page
