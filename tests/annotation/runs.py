"""Runs that tests hold against people: simulated, small, made once a session and never changed."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from mores.annotation.judged_items import JudgedItem, judged_evaluations, judged_things
from mores.annotation.label_tables import TaskTable, read_tables
from mores.runs.spec import Spec
from tests.benchmarks.plays import TINY
from tests.benchmarks.thick import normad
from tests.runs.conduct import hold

PERFECT = "simulated/judge:sensitivity=1,specificity=1,noise=0"
TALKS = "socialcc/dialogue"
SHAPES: Mapping[str, Spec] = {
    "cure/casa_thick": Spec(benchmarks=("cure/casa_thick",), data=str(TINY / "cure"), samples=4),
    "cultureforest/hard": Spec(benchmarks=("cultureforest/hard",), data=str(TINY / "cultureforest")),
    "cultureforest/hard repeated": Spec(
        benchmarks=("cultureforest/hard",), data=str(TINY / "cultureforest"), settings={"verdicts": "repeated"},
        judge_temperature=1.0, judge_samples=4,
    ),
    TALKS: Spec(benchmarks=(TALKS,), data=str(TINY / "socialcc"), samples=3),
    "ladder/explain": Spec(benchmarks=("ladder/explain",), data=str(TINY / "ladder")),
    "ladder/apply": Spec(benchmarks=("ladder/apply",), data=str(TINY / "ladder")),
    "ladder/converse": Spec(benchmarks=("ladder/converse",), data=str(TINY / "ladder")),
    "ladder/live": Spec(benchmarks=("ladder/live",), data=str(TINY / "ladder")),
    "liveculture/town": Spec(benchmarks=("liveculture/town",), data=str(TINY / "liveculture"), limit=2),
}  # fmt: skip


def made(folder: Path, spec: Spec) -> Path:
    """A finished run of a spec."""
    assert hold(folder, spec)
    return folder


def judged_again(folder: Path, run: Path, spec: Spec, *judges: str, runs: int = 1, temperature: float = 1.0) -> Path:
    """The same plays judged by others, as `mores judge` does."""
    roles = {f"judge{number or ''}": judge for number, judge in zip((0, *range(2, 10)), judges, strict=False)}
    again = replace(spec, judged=str(run), roles=roles, judge_samples=runs, judge_temperature=temperature)
    return made(folder, again)


def thick(folder: Path, scenes: int, *, judge: str = PERFECT, seed: int = 0, runs: int = 1) -> Path:
    """A run of explained labels on so many scenes, graded with points."""
    data = normad(folder.parent / f"{folder.name}.csv", scenes)
    spec = Spec(benchmarks=("cure/normad_thick",), data=str(data), seed=seed, roles={"judge": judge}, limit="all",
                judge_samples=runs, judge_temperature=float(runs > 1))  # fmt: skip
    return made(folder, spec)


def talks(folder: Path, scenes: int, *, judge: str = PERFECT, seed: int = 0, models: Sequence[str] = ()) -> Path:
    """A run of talks on so many scenes of four places, each a scenario of its own."""
    with (TINY / "socialcc" / "socialcc.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    data = folder.parent / f"{folder.name}-data"
    data.mkdir(parents=True)
    with (data / "socialcc.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        for number in range(scenes):
            row = dict(rows[number % len(rows)])
            row["Data_ID"] = str(number)
            row["Scenario"] = f"{row['Scenario']} (Scene {number}.)"
            table.writerow(row)
    spec = Spec(benchmarks=(TALKS,), data=str(data), seed=seed, roles={"judge": judge}, limit="all",
                models=tuple(models) or ("simulated/typical",))  # fmt: skip
    return made(folder, spec)


def things(run: Path) -> list[JudgedItem]:
    """Everything that was judged in a run."""
    return [each for evaluation in judged_evaluations([run]) for each in judged_things(evaluation)]


def labels_file(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """A CSV of labels."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns, restval="")
        table.writeheader()
        table.writerows(rows)
    return path


def label(each: JudgedItem, said: object, who: str = "Ana") -> dict[str, object]:
    """One row of labels, by the names of what is labelled."""
    thing = each.thing
    step = "" if thing.step is None else thing.step
    return {"item": thing.item, "sample": thing.sample, "task": thing.task, "step": step, "norm": thing.norm,
            "annotator": who, "label": said}  # fmt: skip


def table_of(run: Path, labels: Path, task: str) -> TaskTable:
    """The one table of a task."""
    (table,) = read_tables([run], [labels], tasks=(task,))
    return table
