"""The ladder: what people of the places answered on its rungs, beside the models."""

from pathlib import Path

import pytest

from mores.benchmarks.catalogue import load
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from tests.benchmarks.plays import TINY, Script, figures_of, setting_of

PACK = TINY / "ladder"
FIRST = "DE-etiquette-time"


def figures(rung: str, rows: list[str], folder: Path, say: str = "True") -> dict[str, Estimate]:
    path = folder / "people.csv"
    path.write_text("\n".join(["norm,rung,annotator,answer", *rows]) + "\n")
    benchmark = load(f"ladder/{rung}")
    setting = setting_of(benchmark, PACK, settings={"people": str(path)})
    found = figures_of(benchmark, setting, benchmark.items(setting), Script(lambda _: say))
    return {each.metric: each for each in found if not each.group}


def test_people_are_right_where_they_choose_just_the_true_statements(tmp_path: Path) -> None:
    rows = [f"{FIRST},know,ann,a", f"{FIRST},know,ben,a|b", f"{FIRST},know,cai,none", f"{FIRST},know,dan,"]
    found = figures("know", [*rows, f"{FIRST},judge,ann,yes"], tmp_path)
    assert found["people"].value == 0.25
    # The subject says True to all four, which is wrong.
    assert found["less_people"].value == -0.25


def test_on_other_rungs_people_are_right_by_the_label(tmp_path: Path) -> None:
    found = figures("judge", [f"{FIRST},judge,ann,yes", f"{FIRST},judge,ben,neutral"], tmp_path, "yes")
    assert found["people"].value == 0.5
    assert found["less_people"].value == 0.5


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([f"{FIRST},know,ann,e"], r"csv:2: answer is 'e'; expected letters"),
        ([f"{FIRST},guess,ann,a"], r"csv:2: rung is 'guess'; expected one of"),
        ([f"{FIRST},know,ann,a", f"{FIRST},know,ann,b"], r"csv:3: annotator 'ann' answers .* on know twice"),
        (["JP-x,know,ann,a"], r"no answers on the rung know to a norm of the pack"),
    ],
)
def test_answers_that_cannot_be_read_are_refused_before_anything_is_asked(
    tmp_path: Path, rows: list[str], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        figures("know", rows, tmp_path)
