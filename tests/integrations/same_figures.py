"""One table of the figures that `mores run`, Inspect, lm-eval and HELM give of the same 200 replies.

`python -m tests.integrations.same_figures` writes it into docs/hosts.md. Questions and replies are made up: what is
shown is that the figures are equal.
"""

import csv
import json
import math
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import mores
from mores.hosted import Hosted, hosted
from mores.integrations.replies import gold_of, words_of
from mores.models.logs.inspect_log import Room, unpack
from tests.conftest import ROOT
from tests.integrations.programs import entry, helm_run, lm_eval_run
from tests.integrations.standing import figures_of
from tests.runs.conduct import mores as typed
from tests.runs.conduct import surroundings

REPLIES = 200
HARD, THIN = "culturalbench/hard", "cure/normad_thin"
OTHER = {"true": "false", "false": "true", "yes": "no", "no": "neutral", "neutral": "yes"}
LABELS = ("yes", "no", "neutral")
SHOWN = {
    HARD: ("accuracy", "accuracy_low", "accuracy_high", "item_accuracy", "accuracy_lenient", "f1_macro", "format_error",
           "accuracy_place_JP"),
    THIN: ("accuracy", "accuracy_low", "accuracy_high", "accuracy_lenient", "f1_macro", "format_error", "refusal",
           "accuracy_place_JP"),
}  # fmt: skip
"""The figures in the table; all of each program are compared."""
PLACES = ("Japan", "Germany", "Nigeria", "Brazil")
DOCUMENT = ROOT / "docs" / "hosts.md"
BEGIN, END = "<!-- same figures: begin -->\n", "<!-- same figures: end -->\n"
Figures = Mapping[str, float]


def data(folder: Path) -> Path:
    """A folder with 50 made-up questions of four statements, and 200 made-up scenes."""
    folder.mkdir()
    hard: list[tuple[object, ...]] = [
        (
            4 * question + option,
            question,
            f"Custom {question} there?",
            f"It is {option}.",
            option == question % 4,
            place,
        )
        for question in range(REPLIES // 4)
        for option, place in enumerate([PLACES[question % 3]] * 4)
    ]
    thin: list[tuple[object, ...]] = [
        (row, PLACES[row % 4].lower(), f"Scene {row}: is it fine?", f"Rule {row // 4}.", LABELS[row % 3], "")
        for row in range(REPLIES)
    ]
    heads = {
        "culturalbench-hard.csv": ("data_idx", "question_idx", "prompt_question", "prompt_option", "answer", "country"),
        "normad.csv": ("id", "Country", "Story", "Rule-of-Thumb", "Gold Label", "Explanation"),
    }
    for (name, head), rows in zip(heads.items(), (hard, thin), strict=True):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *rows])
    return folder


def reply(number: int, gold: str) -> str:
    """A reply right in most cases, else wrong, loose, unreadable, declined or empty."""
    others = (OTHER[gold], f"I think it is {gold}.", "It depends on the place.", "I'm sorry, I can't say.", "")
    return gold.capitalize() if number % 11 else others[number // 11 % len(others)]


def put_down(bench: Hosted, folder: Path) -> tuple[Path, Path]:
    """The replies to all items, for `recorded/FILE` and, by the words asked, for the stand-ins."""
    replies = {item: reply(number, gold_of(bench, item)) for number, item in enumerate(bench.items)}
    table, by_words = folder / "replies.csv", folder / "replies.json"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("item", "reply"), *replies.items()])
    by_words.write_text(json.dumps({words_of(bench, item): text for item, text in replies.items()}), encoding="utf-8")
    assert len(json.loads(by_words.read_text())) == REPLIES
    return table, by_words


def by_mores(name: str, data_: Path, folder: Path, table: Path) -> Figures:
    """The figures of `mores run` on the recorded replies."""
    words = ("run", name, "--model", f"recorded/{table}", "--data", data_, "--out", folder / "run")
    done = typed(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return figures_of(folder / "run")


def by_inspect(name: str, data_: Path, folder: Path) -> Figures:
    """The figures of `inspect eval`, by our names."""
    words = ["eval", f"mores/{name.replace('/', '_')}", "--model", "stand-in/subject", "-T", f"data={data_}"]
    more = ["--log-dir", str(folder / "logs"), "--display", "none"]
    environment = {**surroundings(), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.integrations.inspect_model", *words, *more],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    (path,) = (folder / "logs").glob("*.eval")
    with zipfile.ZipFile(path) as log:
        packed = path.read_bytes()
        head = json.loads(unpack(packed, log.getinfo("header.json"), Room.of_file(packed, str(path)), str(path)))
    found = {key: each["value"] for key, each in head["results"]["scores"][0]["metrics"].items()}
    names = {"lower": "accuracy_low", "upper": "accuracy_high", "asked": "accuracy_asked", "graded": "accuracy_graded"}
    return {
        names.get(key, "accuracy_" + key.replace("=", "_") if "=" in key else key): value
        for key, value in found.items()
        if key not in {"worst", "best"}
    }


def by_lm_eval(name: str, folder: Path) -> Figures:
    """The figures of `lm-eval run`, of a task that was written from the run."""
    mores.load(folder / "run").export("lm-eval", folder / "tasks")
    task = f"mores_{name.replace('/', '_')}"
    found = lm_eval_run(folder / "tasks", folder / "out", task)[task]
    figures = {key.removesuffix(",none"): value for key, value in found.items() if key.endswith(",none")}
    return {key: value for key, value in figures.items() if value != "N/A" and not math.isnan(value)}


def by_helm(name: str, data_: Path, folder: Path) -> Figures:
    """The figures of `helm-run`."""
    done = helm_run(folder, entry(name, data=data_))
    assert done.returncode == 0, done.stderr[-3000:]
    (stats,) = folder.glob("benchmark_output/runs/s/mores_*/stats.json")
    return {each["name"]["name"]: each["mean"] for each in json.loads(stats.read_text())}


PROGRAMS = ("mores run", "inspect eval", "lm-eval run", "helm-run")


def found(name: str, folder: Path, programs: tuple[str, ...] = PROGRAMS) -> dict[str, Figures]:
    """All figures of 200 replies to one benchmark, by program; HELM has none of CulturalBench."""
    data_ = data(folder / "data")
    bench = hosted(name, data=data_)
    table, by_words = put_down(bench, folder)
    ways: dict[str, Callable[[], Figures]] = {
        "mores run": lambda: by_mores(name, data_, folder, table),
        "inspect eval": lambda: by_inspect(name, data_, folder),
        "lm-eval run": lambda: by_lm_eval(name, folder),
        "helm-run": lambda: by_helm(name, data_, folder),
    }
    os.environ["STAND_IN"] = str(by_words)
    try:
        return {each: ways[each]() for each in programs if each != "helm-run" or name == THIN}
    finally:
        del os.environ["STAND_IN"]


def rows(name: str, figures: Mapping[str, Figures]) -> Iterator[str]:
    """The rows of a benchmark; a figure that a program does not show is a dash."""
    for number, metric in enumerate(SHOWN[name]):
        values = [_digits(figures.get(program, {}).get(metric)) for program in PROGRAMS]
        yield f"| {'' if number else f'`{name}`'} | `{metric}` | {' | '.join(values)} |\n"


def _digits(value: float | None) -> str:
    """All digits that a run keeps; a dash where there is no figure."""
    return "–" if value is None else f"{value:.10f}"


def written(tables: Mapping[str, Mapping[str, Figures]]) -> str:
    """The document with its table made anew."""
    head, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    programs = " | ".join(f"`{program}`" for program in PROGRAMS)
    title = f"\n| 200 replies to | figure | {programs} |\n|---|---|{'---|' * len(PROGRAMS)}\n"
    body = "".join(row for name, figures in tables.items() for row in rows(name, figures))
    return "".join((head, BEGIN, title, body, "\n", END, rest.partition(END)[2]))


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        tables = {}
        for name in SHOWN:
            folder = Path(place) / name.replace("/", "_")
            folder.mkdir()
            tables[name] = found(name, folder)
        DOCUMENT.write_text(written(tables), encoding="utf-8")
