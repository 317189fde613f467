"""The ladder's lower rungs on the bundled pack: paired by norm, and what was planted is found again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs
from scipy.stats import binom

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import summarise
from mores.benchmarks.shapes.closed_question import ClosedBenchmark
from mores.core.errors import InputError
from mores.core.estimate import SEPARATE
from mores.core.verdict import Graded
from mores.core.verdict_table import VerdictTable
from mores.norms.pack import PARALLEL, load_pack, parallel
from mores.runs.spec import Spec
from mores.runs.study import Study
from mores.stats.intervals import MIN_CLUSTERS, wilson
from tests.benchmarks.plays import TINY, Open, figure, setting_of, verdicts_of

RUNGS = ("know", "judge")
GUESS = {"know": 1 / 16, "judge": 1 / 3}
PEOPLE, MANY = 5, 12
"""Simulated persons of each promise, and in its long form."""


BOUNDARIES = {
    name.partition("-")[2]
    for rung in RUNGS
    for entry in load_pack().norms
    for name, item in parallel(rung, entry.norm.id, getattr(entry, rung))
    if item.boundary
}
"""Units about where a norm ends, of which a rung may have one and another none."""


def planted(rung: str, knows: float, slips: float = 0.0) -> float:
    """The figure to be found: knowing or guessing right, and no answer of the norm unusable."""
    answers = 4 if rung == "know" else 1
    return (knows + (1 - knows) * GUESS[rung]) * (1 - slips) ** answers


def right(rung: str, spec: str, seed: str = "tests") -> dict[str, bool]:
    """Which norms a simulated person got right."""
    benchmark = catalogue.load(f"ladder/{rung}")
    setting = setting_of(benchmark, None)
    found: dict[str, bool] = {}
    for verdict in verdicts_of(benchmark, setting, benchmark.items(setting), Open(spec, seed)):
        if verdict.task == "strict" and isinstance(verdict, Graded) and verdict.about.unit not in BOUNDARIES:
            found[verdict.about.unit] = found.get(verdict.about.unit, True) and verdict.points == 1
    return found


def places() -> dict[str, list[str]]:
    benchmark = catalogue.load("ladder/judge")
    norms: dict[str, list[str]] = {}
    for item in benchmark.items(setting_of(benchmark, None)):
        norms.setdefault(str(item.about.place), []).append(item.about.unit)
    return norms


def test_both_rungs_ask_about_the_same_norms_with_the_same_knowledge() -> None:
    by_rung = []
    for rung in RUNGS:
        benchmark = catalogue.load(f"ladder/{rung}")
        items: list[Any] = [i for i in benchmark.items(setting_of(benchmark, None)) if i.about.unit not in BOUNDARIES]
        by_rung.append({(item.about.unit, item.about.cluster, item.about.place, item.key().unit) for item in items})
        assert {item.key().rung for item in items} == {rung}
    assert by_rung[0] == by_rung[1]


def test_who_knows_a_norm_by_judging_knows_it_by_heart() -> None:
    """A person's knowledge of a norm is drawn once for all its rungs: only a guess gets a higher rung alone."""
    alone = norms = 0
    for person in range(4):
        know, judge = (right(rung, f"simulated/typical:know=.7,judge=.7,format_error=0,person={person}")
                       for rung in RUNGS)  # fmt: skip
        alone += sum(not know[norm] for norm in know if judge[norm])
        norms += len(know)
    # Of those who do not know (30 %), a third guesses the judgement: 0.3 * 1/3 * 15/16 of all norms.
    expected = norms * 0.3 / 3 * 15 / 16
    assert abs(alone - expected) < 4 * np.sqrt(expected)


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize(("knows", "slips"), [(0.2, 0.0), (0.8, 0.01), (0.5, 0.1)])
def test_what_was_planted_is_found_again(rung: str, knows: float, slips: float) -> None:
    """Over several persons, within four standard errors."""
    spec = f"simulated/typical:{rung}={knows},format_error={slips}"
    outcomes = [one for person in range(3) for one in right(rung, f"{spec},person={person}").values()]
    truth = planted(rung, knows, slips)
    assert np.mean(outcomes) == pytest.approx(truth, abs=4 * np.sqrt(truth * (1 - truth) / len(outcomes)))


@pytest.mark.parametrize("people", [PEOPLE, pytest.param(MANY, marks=pytest.mark.soak)])
@pytest.mark.parametrize("rung", RUNGS)
def test_planted_competence_lies_in_the_intervals_of_the_places_as_often_as_promised(rung: str, people: int) -> None:
    """One question a norm: a share's coverage is what the binomial law says of Wilson's interval, not .95.

    Norms that are contested stand in no interval. With two questions on each norm the interval is one of means, which
    covers as often or more.
    """
    held, asked, promised, spread = covered(rung, people, lambda unit: PARALLEL not in unit)
    assert abs(held - promised) < 4 * np.sqrt(spread)
    assert held / asked > 0.88  # four standard errors under .95 for 145 intervals
    held, asked, _, _ = covered(rung, people, lambda _: True)
    assert held / asked > 0.95


def covered(rung: str, people: int, counts: Callable[[str], bool]) -> tuple[float, float, float, float]:
    """How many intervals of places hold what was planted, of how many; how many should, and the variance of that."""
    knows = {place: 0.9 if n % 2 else 0.4 for n, place in enumerate(places())}
    settings = ",".join(f"{place}.{rung}={p}" for place, p in knows.items())
    whole = catalogue.load(f"ladder/{rung}")
    assert isinstance(whole, ClosedBenchmark)
    benchmark = structs.replace(
        whole, card=structs.replace(whole.card, groups=("place",), metrics=whole.card.metrics[:1])
    )
    setting = setting_of(benchmark, None)
    items = [item for item in benchmark.items(setting) if SEPARATE not in item.about.groups and counts(item.about.unit)]
    norms = {place: {item.about.cluster for item in items if item.about.place == place} for place in knows}
    held = asked = promised = spread = 0.0
    for person in range(people):
        door = Open(f"simulated/typical:{settings},format_error=0,person={person}")
        figures = summarise(benchmark, VerdictTable(verdicts_of(benchmark, setting, items, door)), setting)
        for place, skill in knows.items():
            truth, found = planted(rung, skill), figure(figures, "accuracy", place=place)
            if found.low is None or found.high is None:
                assert len(norms[place]) < MIN_CLUSTERS
                continue
            held, asked = held + (found.low <= truth <= found.high), asked + 1
            chance = exact_coverage(len(norms[place]), truth)
            promised, spread = promised + chance, spread + chance * (1 - chance)
    return held, asked, promised, spread


def exact_coverage(n: int, share: float) -> float:
    """Chance that Wilson's interval of a count holds the share."""
    inside = 0.0
    for count in range(n + 1):
        low, high, *_ = wilson(count, n)
        inside += binom.pmf(count, n, share) * (low <= share <= high)  # type: ignore[operator]
    return float(inside)


@pytest.mark.parametrize("rung", ["know", "judge", "explain", "apply", "converse", "live"])
def test_data_that_is_no_folder_never_runs_the_bundled_norms(rung: str, tmp_path: Path) -> None:
    benchmark = catalogue.load(f"ladder/{rung}")
    file = tmp_path / "KE.toml"
    file.write_text('place = "KE"', encoding="utf-8")
    for wrong, why in ((tmp_path / "nodir", "no such folder"), (file, "a file")):
        with pytest.raises(InputError) as caught:
            benchmark.items(setting_of(benchmark, wrong))
        assert f"--data {wrong}: {why}; " in str(caught.value)
        assert "expected a folder with pack.toml" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rung", ["know", "judge", "explain", "apply", "converse", "live"])
def test_a_folder_of_other_data_goes_on_with_the_bundled_norms_and_says_so(rung: str, tmp_path: Path) -> None:
    benchmark, pack = catalogue.load(f"ladder/{rung}"), load_pack()
    said = f"The folder of --data has no pack of norms: the bundled pack {pack.id}, version {pack.version}, was used."
    (tmp_path / "culturalbench-easy.csv").write_text("data_idx\n", encoding="utf-8")
    assert said in benchmark.remarks(setting_of(benchmark, tmp_path))
    for own in (None, TINY / "ladder"):
        assert said not in benchmark.remarks(setting_of(benchmark, own))


def test_a_limit_takes_the_same_norms_on_all_rungs_that_ask_about_one_at_a_time() -> None:
    names = ("ladder/know", "ladder/judge", "ladder/explain", "ladder/converse")
    spec = Spec(benchmarks=names, models=("simulated/typical",), limit=20)
    study = Study(spec=spec, folder=Path("unused"))
    drawn = [{i.about.unit for i in each.items if i.about.unit not in BOUNDARIES} for each in study.evaluations()]
    assert len(drawn[2]) == 20
    assert all({unit.partition(PARALLEL)[0] for unit in each} == drawn[2] for each in drawn)
    assert len(drawn[0]) == len(drawn[1]) == 2 * 20
