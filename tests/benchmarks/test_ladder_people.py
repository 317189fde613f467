"""The ladder: what people of the places answered on its rungs, beside the models."""

from pathlib import Path

import pytest

from mores import run
from mores.benchmarks.catalogue import load
from mores.benchmarks.ladder.benchmark import PEOPLE_ANALYSIS, analyse
from mores.benchmarks.ladder.ladders import ladders
from mores.benchmarks.ladder.sentences import describe_start
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.tables import rows_by_key, section_of
from tests.benchmarks.plays import TINY, Script, figures_of, setting_of
from tests.reports.shown import laid_out, printed

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


def test_people_stand_on_the_scale_of_the_ladder_too(tmp_path: Path) -> None:
    # Of four statements a is true: ann 1 - 0, ben 1 - 1/3, cai 0 - 0, dan 0 - 1; their mean is (1 + 2/3 - 1) / 4.
    said = {"ann": "a", "ben": "a|b", "cai": "none", "dan": "b|c|d"}
    found = figures("know", [f"{FIRST},know,{who},{letters}" for who, letters in said.items()], tmp_path)
    assert found["people_kept"].value == pytest.approx((1 + 2 / 3 + 0 - 1) / 4)
    # A right label is 1, a wrong one of three -1/2: two right of three are .5.
    rows = [f"{FIRST},judge,{who},{label}" for who, label in (("ann", "yes"), ("ben", "yes"), ("cai", "no"))]
    assert figures("judge", rows, tmp_path)["people_kept"].value == pytest.approx(0.5)
    assert "people_kept" not in figures("explain", [f"{FIRST},explain,ann,yes"], tmp_path, "Yes. So it is.")


def test_people_stand_in_the_ladder_of_a_model(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"norm,rung,annotator,answer\n{FIRST},judge,ann,yes\n{FIRST},judge,ben,yes\n{FIRST},know,ann,a\n")
    made = run(
        ["ladder/know", "ladder/judge"], model="simulated/typical", data=PACK, setting=[f"people={path}"],
        out=tmp_path / "run",
    )  # fmt: skip
    (ladder,) = ladders(made.results)
    assert [rung.people and rung.people.value for rung in ladder.rungs] == [1.0, 1.0]
    assert "People who were asked the same keep: know 100.0%" in describe_start(ladder)


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


def test_models_stand_beside_people_whole_and_by_group(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = [f"{FIRST},judge,ann,yes", f"{FIRST},judge,ben,neutral", f"{FIRST},know,ann,a"]
    path.write_text("\n".join(["norm,rung,annotator,answer", *rows]) + "\n")
    models = ["simulated/typical", "simulated/expert"]
    made = run(
        ["ladder/know", "ladder/judge"], model=models, data=PACK, setting=[f"people={path}"], out=tmp_path / "run"
    )
    found = analyse(made.results)
    assert found is not None
    (filled,) = found.tables
    told = rows_by_key(filled.table, filled.rows)
    wholes = [row for row in told if row["kind"] is None]
    assert [(row["benchmark"], row["model"]) for row in wholes] == [
        (f"ladder/{rung}", model) for rung in ("know", "judge") for model in models
    ]
    for row, each in zip(wholes, (made.results.of(model) for _ in range(2) for model in models), strict=True):
        (own,) = (result for result in each if result.benchmark == row["benchmark"])
        figures = {name: own.overall(name) for name in (own.headline, "people", "less_people")}
        assert [row["right"], row["people"], row["less_people"]] == [
            figure and figure.value for figure in figures.values()
        ]
    assert {(row["kind"], row["group"]) for row in told} >= {("place", "DE"), ("region", "West Europe")}
    lines = printed(section_of(PEOPLE_ANALYSIS, found))
    assert any(line.strip().startswith("simulated/expert (simulated)") for line in lines)
    assert "People on ladder/judge" in laid_out(section_of(PEOPLE_ANALYSIS, found))
