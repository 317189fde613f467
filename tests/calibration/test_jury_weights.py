"""Juries weighed by reliability: what is planted in judges shows in their weights, and weights decide verdicts."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from mores.annotation.judged_items import judged_evaluations, judged_things
from mores.annotation.label_tables import TaskTable, read_tables
from mores.calibration.jury_weights import JuryWeights, jury_weights_of
from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.runs.spec import ExecutionSpec, Spec, check
from tests.annotation.conftest import typed
from tests.annotation.people import SimulatedAnnotators, simulate_labels, write_labels
from tests.annotation.runs import made, thick
from tests.benchmarks.thick import normad
from tests.bundled import MANY
from tests.runs.conduct import Typed, manifest, whole

__all__ = ["typed"]
PLANTED = {"judge": 0.95, "judge2": 0.8, "judge3": 0.6}
JUDGES = {
    role: f"simulated/judge:sensitivity={chance},specificity={chance},person={role}" for role, chance in PLANTED.items()
}
TASKS = ("goal", "respected")


def jury_spec(**more: object) -> Spec:
    return Spec(benchmarks=("ladder/converse",), roles=JUDGES, samples=2, places=MANY, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def jury(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("jury") / "run", jury_spec())


@pytest.fixture(scope="module")
def labels(jury: Path) -> Path:
    path = jury.parent / "labels.csv"
    write_labels(path, simulate_labels([jury], None, SimulatedAnnotators(count=1, accuracy=(1.0,))))
    return path


def tables(run: Path, *labels: Path) -> tuple[TaskTable, ...]:
    return read_tables([run], labels, tasks=TASKS)


def weight_of(found: JuryWeights) -> dict[str, float]:
    return {each.role: each.weight for each in found.jurors}


def test_how_often_each_judge_is_right_shows_by_people_s_labels(jury: Path, labels: Path) -> None:
    """Log odds of .95, .8 and .6 are 2.94, 1.39 and .41: over their mean 1.86, .88 and .26."""
    found = jury_weights_of(tables(jury, labels), seed=0)
    assert (found.points, found.simulated) == (False, True)
    for each in found.jurors:
        assert each.figure.value == pytest.approx(PLANTED[each.role], abs=0.08)
        assert each.figure.interval.low is not None
        assert each.n > 400
    weights = weight_of(found)
    assert weights == pytest.approx({"judge": 1.86, "judge2": 0.88, "judge3": 0.26}, abs=0.35)
    assert weights["judge"] > weights["judge2"] > weights["judge3"]
    assert sum(weights.values()) == pytest.approx(3, abs=1e-3)


def test_points_count_by_their_distance_from_people_s(tmp_path: Path) -> None:
    noises = zip(JUDGES, (".05", ".2", ".3"), strict=True)
    roles = {role: f"simulated/judge:noise={noise},person={role}" for role, noise in noises}
    data = normad(tmp_path / "data.csv", 80)
    run = made(tmp_path / "run", Spec(benchmarks=("cure/normad_thick",), data=str(data), roles=roles, limit="all"))
    path = tmp_path / "labels.csv"
    write_labels(path, simulate_labels([run], None, SimulatedAnnotators(count=1, noise=0.0)))
    found = jury_weights_of(read_tables([run], [path]), seed=0)
    assert found.points
    weights = weight_of(found)
    assert weights["judge"] > weights["judge2"] > weights["judge3"]


def words_of(run: Path) -> Mapping[object, tuple[str | None, dict[str, str | None]]]:
    """The word of a run on each thing, and that of each judge."""
    (evaluation,) = judged_evaluations([run])
    return {
        each.thing: (each.label, {judge: votes[0].said[each.thing.norm].label for judge, votes in each.votes.items()})
        for each in judged_things(evaluation)
        if each.thing.task in TASKS
    }


def test_a_judge_that_outweighs_the_others_decides_every_verdict_it_gave(jury: Path, tmp_path: Path) -> None:
    weighed = made(tmp_path / "weighed", jury_spec(judge_weights={"judge": 3.0, "judge2": 1.0, "judge3": 1.0}))
    told = words_of(weighed)
    assert {by["judge"] for _, by in told.values()} >= {"yes", "no"}
    assert all(together == by["judge"] for together, by in told.values() if by["judge"] is not None)
    assert any(together != by["judge"] for together, by in words_of(jury).values() if by["judge"] is not None)
    assert whole(weighed, "accuracy")["value"] != whole(jury, "accuracy")["value"]
    assert manifest(weighed)["departures"] == [
        {"setting": "samples", "published": "1", "used": "2"},
        {"setting": "weights of judges", "published": "all alike", "used": "judge 3, judge2 1, judge3 1"},
    ]


def test_equal_weights_are_the_run_without_them(jury: Path, tmp_path: Path) -> None:
    alike = made(tmp_path / "alike", jury_spec(judge_weights=dict.fromkeys(JUDGES, 0.7)))
    assert words_of(alike) == words_of(jury)


def test_too_small_a_jury_and_one_that_knows_nothing_are_refused(jury: Path, tmp_path: Path) -> None:
    alone = thick(tmp_path / "alone", 8)
    with pytest.raises(InputError, match="expected a jury of 2 or more, the same on all tasks; one judge judged alone"):
        jury_weights_of(read_tables([alone]), seed=0)
    with pytest.raises(InputError, match="nothing that it judged is labelled"):
        jury_weights_of(tables(jury), seed=0)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"judge4": 1.0}, "--judge-weight judge4=1: expected a judge of a jury; here there are judge, judge2, judge3"),
        ({"judge": -1.0}, "--judge-weight judge=-1: expected a number, 0 or more"),
        ({"judge": float("nan")}, "--judge-weight judge=nan: expected a number, 0 or more"),
        (dict.fromkeys(JUDGES, 0.0), "all are 0; expected a judge among judge, judge2, judge3 that counts"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: dict[str, float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        check(jury_spec(judge_weights=weights), ExecutionSpec())


def test_the_commands_go_from_a_jury_to_one_that_is_weighed(
    jury: Path, labels: Path, tmp_path: Path, typed: Typed
) -> None:
    done = typed("judge", "weights", jury, "--labels", labels, "--task", "goal", "--json")
    assert done.returncode == 0, done.stderr
    jurors = parse_json(done.stdout, where="weights")["jury_weights"]
    weights = [word for each in jurors for word in ("--judge-weight", f"{each['role']}={each['weight']}")]
    judges = [word for each in jurors for word in ("--judge", each["judge"])]
    again = typed("judge", jury, *judges, *weights, "--out", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    assert manifest(tmp_path / "again")["spec"]["judge_weights"] == {each["role"]: each["weight"] for each in jurors}
    assert "Deviates from the protocol: samples 2" in again.stdout
    plain = typed("judge", "weights", jury, "--labels", labels)
    assert "Use them: mores judge RUN" in plain.stdout
    refused = typed("judge", jury, *judges, "--judge-weight", "judge=much", "--out", tmp_path / "x")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
