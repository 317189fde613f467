"""What is planted in a simulated subject is found again, through a judge whose errors are known.

A fact is done with the chance c = converse x apply_known, at full pressure less by give_way; who does not know it takes
one of k outcomes alike; a slip of the subject counts as not done.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.shapes.dialogues.dialogue import DialogueItem
from mores.core.estimate import Estimate
from mores.tables.missing_texts import format_missing
from tests.benchmarks.plays import Open, figure, figures_of, setting_of
from tests.benchmarks.talks import NAME, rows, written

SUBJECT = {"converse": 0.7, "apply_known": 0.9, "format_error": 0.05, "give_way": 0.5}
C, SLIP = 0.7 * 0.9, 0.05
JUDGES = {"perfect": (1.0, 1.0), "erring": (0.9, 0.8)}
SCENES = 150
SEEDS = range(4)


def world(folder: Path, count: int) -> Path:
    """So many scenarios, each in a scene of its own."""
    base = rows()
    table = [
        {**base[n % 8], "Data_ID": str(n), "Scenario": f"{base[n % 8]['Scenario']} It is day {n}."}
        for n in range(count)
    ]
    return written(folder / "socialcc.csv", table)


def played(path: Path, judge: str, seed: int, pressure: str = "paper", **more: float) -> tuple[Estimate, ...]:
    """Figures of a subject and a judge with what is planted in them."""
    sensitivity, specificity = JUDGES[judge]
    chances = {**SUBJECT, "sensitivity": sensitivity, "specificity": specificity, **more}
    spec = "simulated/typical:" + ",".join(f"{name}={chance}" for name, chance in chances.items())
    benchmark, setting = opened(path, pressure)
    return figures_of(benchmark, setting, benchmark.items(setting), Open(spec, f"world {seed}"))


def opened(path: Path, pressure: str) -> tuple[Benchmark, Setting]:
    benchmark = catalogue.load(NAME)
    settings = {**benchmark.card.protocol.settings, "pressure": pressure}
    return benchmark, setting_of(benchmark, path, settings=settings)


def done(chance: float, outcomes: int) -> float:
    """The share of talks in which the competent outcome shows."""
    return (1 - SLIP) * (chance + (1 - chance) / outcomes)


def expected(judge: str, chance: float = C) -> dict[str, float]:
    """What a judge with these chances says of it, metric by metric."""
    sensitivity, specificity = JUDGES[judge]

    def yes(share: float) -> float:
        return share * sensitivity + (1 - share) * (1 - specificity)

    both = done(chance, 4)
    either = (1 - SLIP) * (1 - chance) / 4  # of each: respected only, goal only, neither
    outcomes = {(1, 1): both, (0, 1): either, (1, 0): either}
    outcomes[0, 0] = 1 - sum(outcomes.values())
    conduct = {
        2 * r + g: sum(p * odds(goal, g, yes) * odds(kept, r, yes) for (goal, kept), p in outcomes.items())
        for g in (0, 1)
        for r in (0, 1)
    }
    wrongly_known = (1 - specificity) / 2  # a judge that errs takes one of the other two words
    knows = done(C, 3)
    return {
        "awareness": yes(done(C, 2)),
        "aware_unknowing": yes(done(C, 2)),  # the facts of a talk are planted apart
        "commonsense": knows * sensitivity + (1 - knows) * wrongly_known,
        "value": yes(done(C, 2)),
        "goal": conduct[1] + conduct[3],
        "respected": conduct[2] + conduct[3],
        "behaviour": sum(points * share for points, share in conduct.items()),
        **{f"behaviour_{points}": share for points, share in conduct.items()},
    }


def odds(true: int, said: int, yes: Callable[[float], float]) -> float:
    """The chance that a judge says so of what is so."""
    return yes(true) if said else 1 - yes(true)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return world(tmp_path_factory.mktemp("world"), SCENES)


def hits(path: Path, judge: str) -> Iterator[tuple[str, bool, float]]:
    """For each metric and seed: whether the interval holds what was planted, and how far off the figure is."""
    for seed in SEEDS:
        found = played(path, judge, seed)
        for metric, value in expected(judge).items():
            estimate = figure(found, metric)
            assert estimate.value is not None
            assert estimate.low is not None
            assert estimate.high is not None
            yield metric, estimate.low <= value <= estimate.high, estimate.value - value


@pytest.mark.parametrize("judge", JUDGES)
def test_planted_awareness_knowledge_value_and_conduct_are_recovered(scenes: Path, judge: str) -> None:
    """Of 44 intervals of 95 % some two or three miss, in clumps, as one talk gives all figures; means lie close by."""
    found = list(hits(scenes, judge))
    assert sum(not held for _, held, _ in found) <= 9
    for metric in expected(judge):
        gaps = [gap for name, _, gap in found if name == metric]
        scale = 3 if metric == "behaviour" else 1
        assert abs(sum(gaps) / len(gaps)) < 0.07 * scale, metric


def test_conduct_is_the_sum_of_its_shares_wherever_it_is_shown(scenes: Path) -> None:
    found = played(scenes, "erring", 0)
    for group in {tuple(e.group.items()) for e in found if e.metric == "behaviour"}:
        means = {n: figure(found, f"behaviour_{n}", **dict(group)).value or 0.0 for n in range(4)}
        value = figure(found, "behaviour", **dict(group)).value
        assert value == pytest.approx(sum(n * share for n, share in means.items()), abs=1e-8)
        assert sum(means.values()) == pytest.approx(1, abs=1e-8)


def test_a_sage_under_a_perfect_judge_gets_everything(scenes: Path) -> None:
    found = played(scenes, "perfect", 0, converse=1, apply_known=1, format_error=0)
    assert figure(found, "behaviour").value == 3
    assert all(figure(found, metric).value == 1 for metric in ("awareness", "commonsense", "value", "behaviour_3"))
    assert figure(found, "aware_unknowing").value is None
    assert format_missing(figure(found, "aware_unknowing").missing) == "nothing graded"


def test_conduct_falls_with_pressure_as_planted_and_what_was_noticed_before_does_not(scenes: Path) -> None:
    found = played(scenes, "perfect", 0, pressure="none,paper,firm,strong")
    strengths = {"none": 0.0, "paper": 0.0, "firm": 0.5, "strong": 1.0}
    kept = []
    for level, strength in strengths.items():
        wanted = expected("perfect", C * (1 - strength * SUBJECT["give_way"]))
        at = {metric: figure(found, metric, dimension=f"pressure {level}") for metric in ("respected", "awareness")}
        for metric, estimate in at.items():
            assert estimate.asked == SCENES
            assert estimate.value == pytest.approx(wanted[metric], abs=0.12)
        kept.append(at["respected"].value or 0)
    assert kept[0] - kept[3] == pytest.approx(C * SUBJECT["give_way"] / 2 * (1 - SLIP), abs=0.1)


def test_what_is_known_of_a_scene_is_drawn_once_for_all_levels_of_pressure(scenes: Path) -> None:
    benchmark, setting = opened(scenes, "none,strong")
    one, other, *_ = (item for item in benchmark.items(setting) if isinstance(item, DialogueItem))
    keys = [item.key("subject", 4) for item in (one, other)]
    assert one.about.item != other.about.item
    assert len({key.unit for key in keys if key}) == 1
    assert [key.pressure for key in keys if key] == [0, 1]


@pytest.mark.parametrize("step", [0, 1, 2, 3, 5])
def test_only_conduct_in_the_end_gives_way_to_pressure(scenes: Path, step: int) -> None:
    benchmark, setting = opened(scenes, "strong")
    item = benchmark.items(setting)[0]
    assert isinstance(item, DialogueItem)
    key = item.key("subject", step)
    assert key is not None
    assert key.pressure == 0
