"""CURE in HELM: equal replies give the figures of a run, from HELM's log too; judges are named, and limits are ours."""

import json
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks import catalogue
from tests.integrations.programs import entry, helm_run
from tests.integrations.standing import figures_of, run

NAMES = tuple(name for name in catalogue.names() if name.startswith("cure/"))
SAMPLES = {"cure/normad_thin": 3}


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all runs of HELM."""
    folder = tmp_path_factory.mktemp("helm")
    judged = {name: {"judge": "stand-in/judge"} for name in NAMES if name.endswith("_thick")}
    samples = {name: {"samples": count} for name, count in SAMPLES.items()}
    entries = [entry(name, **judged.get(name, {}), **samples.get(name, {})) for name in NAMES]
    done = helm_run(folder, *entries)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "benchmark_output" / "runs" / "s"


def log_of(logs: Path, name: str, file: str) -> Path:
    (path,) = logs.glob(f"mores_{name.replace('/', '_')}:*/{file}")
    return path


def read(logs: Path, name: str, file: str) -> Any:
    return json.loads(log_of(logs, name, file).read_text())


def test_helm_finds_the_run_entries_by_an_entry_point() -> None:
    (point,) = entry_points(group="helm", name="mores")
    assert point.value == "mores.integrations.helm"


@pytest.mark.helm
@pytest.mark.parametrize("name", NAMES)
def test_equal_replies_give_equal_figures_in_helm_and_in_a_run_and_its_log_is_read_back(
    name: str, logs: Path, tmp_path: Path
) -> None:
    stats = {each["name"]["name"]: each["mean"] for each in read(logs, name, "stats.json")}
    expected = figures_of(run(tmp_path / "run", name, samples=SAMPLES.get(name)))
    assert stats == expected
    assert {"accuracy_graded", (name.endswith("_thick") and "right_good") or "accuracy_strict"} <= set(stats)
    state = f"recorded/{log_of(logs, name, 'scenario_state.json')}"
    assert figures_of(run(tmp_path / "again", name, model=state, samples=SAMPLES.get(name))) == expected


@pytest.mark.helm
def test_a_log_of_helm_names_all_words_and_its_limit_of_instances_takes_none_away(logs: Path) -> None:
    for name in NAMES:
        spec, states = read(logs, name, "run_spec.json"), read(logs, name, "scenario_state.json")["request_states"]
        (annotator,) = spec["annotators"]
        known = catalogue.load(name).prompts
        assert annotator["args"]["prompts"] == {prompt.header.name: prompt.sha for prompt in known}
        assert len(states) == spec["adapter_spec"]["max_eval_instances"] > 1


@pytest.mark.helm
@pytest.mark.parametrize(
    ("entry_", "says"),
    [
        (
            entry("cure/normad_thick"),
            "cure/normad_thick: a judge grades its reasons, and none is named; add judge=",
        ),
        (entry("cure/normad_thin", judge="stand-in/judge"), "judge=stand-in/judge, and nobody judges labels"),
        (entry("cure/normad_thick", judge="stand-in/nobody"), "judge=stand-in/nobody; expected a model of HELM's"),
        (entry("cure/normad_thin", limits=3), "No option of what is asked is called 'limits'. Did you mean 'limit'?"),
    ],
    ids=("no judge", "a judge of labels", "an unknown judge", "an unknown option"),
)
def test_an_entry_that_cannot_be_run_is_refused_in_a_line_before_any_call(
    entry_: str, says: str, tmp_path: Path
) -> None:
    done = helm_run(tmp_path, entry_)
    assert done.returncode != 0
    assert says in done.stderr + done.stdout
    assert not [*tmp_path.glob("benchmark_output/runs/s/mores_*")]
