"""Tasks of lm-eval that were written from runs: they ask the same, and equal replies give the figures of a run."""

import importlib.util
import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import mores
from mores.benchmarks import catalogue
from mores.core.errors import InputError
from mores.integrations.lm_eval import Task
from mores.integrations.replies import words_of
from tests.integrations.programs import lm_eval_run
from tests.integrations.stand_in import said
from tests.integrations.standing import data_of, figures_of, run

EMPTY = "stand-in/empty"
CLOSED = ("culturalbench/hard", "culturalbench/easy", "cure/normad_thin", "cultureforest/medium", "ladder/know")
SAMPLES = {"cure/normad_thin": 2, "cultureforest/medium": 3}


def exported(folder: Path, out: Path) -> Path:
    mores.load(folder).export("lm-eval", out)
    return out


def functions(folder: Path) -> ModuleType:
    """The module of some tasks, loaded as the harness does."""
    made = importlib.util.spec_from_file_location("tasks", folder / "utils.py")
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


def kept(task: Task) -> Iterator[dict[str, list[str]]]:
    """What the harness keeps of each row, where the stand-in answers."""
    samples = task.bench.evaluation.setting.protocol.samples
    for item in task.bench.items:
        yield task.results({"item": item}, [[said(words_of(task.bench, item))] * samples])


@pytest.mark.parametrize("name", CLOSED)
def test_equal_replies_give_equal_figures_in_a_task_and_in_a_run(name: str, tmp_path: Path) -> None:
    folder, flat = run(tmp_path / "run", name, EMPTY, samples=SAMPLES.get(name)), name.replace("/", "_")
    module = functions(exported(folder, tmp_path / "tasks"))
    rows = list(kept(getattr(module, flat)))
    figures = {metric: getattr(module, f"{flat}_{metric}")([row[metric] for row in rows]) for metric in rows[0]}
    expected = {metric: value for metric, value in figures_of(folder).items() if metric in figures}
    assert {metric: value for metric, value in figures.items() if not math.isnan(value)} == expected
    assert {"accuracy", "accuracy_graded", "format_error"} <= set(expected)


def test_a_task_asks_in_the_words_and_with_the_settings_of_its_run(tmp_path: Path) -> None:
    prompt = tmp_path / "other.md"
    prompt.write_text('[[story]]\nIn [[place]], would that be "fine"? {yes}, no or neutral?')
    mores.run(
        "cure/normad_thin", model="baseline/random", data=data_of("cure/normad_thin"), places="JP", temperature=0.5,
        prompt={"subject": prompt}, answer_tokens=7, out=tmp_path / "run",
    )  # fmt: skip
    tasks = exported(tmp_path / "run", tmp_path / "tasks")
    bench = functions(tasks).cure_normad_thin.bench
    assert {item.about.place for item in bench.items.values()} == {"JP"}
    assert words_of(bench, "normad-1").endswith('In Japan, would that be "fine"? {yes}, no or neutral?')
    written = (tasks / "mores_cure_normad_thin.yaml").read_text()
    assert 'generation_kwargs: {"until": [], "do_sample": true, "temperature": 0.5, "max_gen_toks": 7}' in written
    assert f"version: {catalogue.card('cure/normad_thin').version.partition('-')[0]}\n" in written


def test_data_and_limit_are_those_of_the_machine_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MORES_DATA", data_of("culturalbench/hard"))
    monkeypatch.setenv("MORES_LIMIT", "1")
    task = Task("culturalbench/hard", metrics=("accuracy",), data="elsewhere")
    assert len(task.bench.items) == 4


def test_rows_that_the_harness_left_out_are_told_of(caplog: pytest.LogCaptureFixture) -> None:
    task = Task("culturalbench/hard", metrics=("accuracy",), data=data_of("culturalbench/hard"))
    rows = [row["accuracy"] for row in kept(task)]
    task.figure("accuracy")(rows[:3])
    assert "3 of 12 items were asked" in caplog.text
    caplog.clear()
    task.figure("accuracy")(rows)
    assert not caplog.text


def test_a_judged_benchmark_has_no_task_and_is_refused_where_it_is_alone(tmp_path: Path) -> None:
    mores.run(["ladder/know", "ladder/explain"], model="simulated/typical", places="JP", out=tmp_path / "both")
    both = mores.load(tmp_path / "both")
    (left,) = both.export("lm-eval", tmp_path / "tasks")
    assert left.startswith("ladder/explain: nobody judges in lm-eval")
    assert {path.name for path in (tmp_path / "tasks").iterdir()} == {"README.md", "mores_ladder_know.yaml", "utils.py"}
    alone = run(tmp_path / "judged", "cure/casa_thick")
    with pytest.raises(InputError, match=r"--to lm-eval: cure/casa_thick: nobody judges in lm-eval, .*; use Inspect"):
        exported(alone, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_runs_that_ask_a_benchmark_in_two_ways_have_no_one_task(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 2)):
        mores.run("ladder/know", model="baseline/random", limit=3, seed=seed, out=tmp_path / name)
    with pytest.raises(InputError, match=r"ladder/know: .* ask it in different ways; export one\."):
        mores.load([tmp_path / "a", tmp_path / "b"]).export("lm-eval", tmp_path / "tasks")


@pytest.mark.neighbours
def test_lm_evals_own_command_gives_the_figures_of_a_run_and_its_samples_are_read_back(tmp_path: Path) -> None:
    runs = {name: run(tmp_path / name, name, EMPTY, samples=SAMPLES.get(name)) for name in CLOSED}
    tasks = tmp_path / "tasks"
    mores.load([*runs.values()]).export("lm-eval", tasks)
    names = {name: f"mores_{name.replace('/', '_')}" for name in CLOSED}
    results = lm_eval_run(tasks, tmp_path / "out", *names.values())
    for name, task in names.items():
        found = {key.removesuffix(",none"): value for key, value in results[task].items() if key.endswith(",none")}
        figures = {metric: value for metric, value in found.items() if value != "N/A" and not math.isnan(value)}
        expected = figures_of(runs[name])
        assert figures == {metric: value for metric, value in expected.items() if metric in found}
        (samples,) = (tmp_path / "out").glob(f"*/samples_{task}_*.jsonl")
        again = run(tmp_path / "again" / name, name, model=f"recorded/{samples}", samples=SAMPLES.get(name))
        assert figures_of(again) == expected
