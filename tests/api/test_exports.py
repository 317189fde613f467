"""Runs written for other programs, and read by them."""

import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from uuid import UUID

import pyarrow.parquet as pq
import pytest

import mores
from mores.api.notebook import Runs
from mores.api.runs import FORMATS
from mores.core.errors import InputError, UnknownName
from mores.core.verdict import Graded
from mores.exports.latex import latex
from mores.exports.samples import plays_of
from tests.api.neighbours import python_of
from tests.benchmarks.plays import TINY
from tests.bundled import SOME

TABLES = ("estimates", "scores", "items", "transcripts", "verdicts")
AGGREGATE = {
    "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info", "eval_library",
    "evaluation_results", "detailed_evaluation_results",
}  # fmt: skip
LINE = {
    "schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id", "interaction_type", "input",
    "output", "messages", "answer_attribution", "evaluation", "metadata",
}  # fmt: skip


@pytest.fixture(scope="session")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """All six rungs: questions, judged answers, dialogues and days, some of it ungraded."""
    out = tmp_path_factory.mktemp("ladder") / "run"
    return mores.run("ladder", model="simulated/uneven:refusal=.05,failure=.02", limit=9, out=out)


def test_tables_are_written_whole_and_say_the_same(runs: Runs, tmp_path: Path) -> None:
    assert runs.export("csv", tmp_path / "csv") == runs.export("parquet", tmp_path / "parquet") == ()
    for name in TABLES:
        rows = [*csv.DictReader(io.StringIO((tmp_path / "csv" / f"{name}.csv").read_text()))]
        own = [*getattr(runs, name)]
        assert [{k: "" if v is None else str(v) for k, v in row.items()} for row in own] == rows
        assert pq.read_table(tmp_path / "parquet" / f"{name}.parquet").to_pylist() == own


@pytest.mark.parametrize("to", FORMATS)
def test_nothing_that_is_there_is_overwritten_and_equal_runs_make_equal_files(
    folder: Path, to: str, tmp_path: Path
) -> None:
    runs = mores.load(next(folder.glob("*/estimates.json")).parent)  # one evaluation: pictures take a second each
    runs.export(to, tmp_path / "a")
    runs.export(to, tmp_path / "b")
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert files
    before = {name: (tmp_path / "a" / name).read_bytes() for name in files}
    assert before == {name: (tmp_path / "b" / name).read_bytes() for name in files}
    last = tmp_path / "b" / files[-1]
    last.write_bytes(b"of a user")
    for name in files[:-1]:
        (tmp_path / "b" / name).unlink()
    with pytest.raises(InputError, match="not overwritten"):
        runs.export(to, tmp_path / "b")
    assert last.read_bytes() == b"of a user"
    assert [path for path in (tmp_path / "b").rglob("*") if path.is_file()] == [last]


def test_an_unknown_format_and_an_unfinished_run_are_refused(runs: Runs, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="parquet"):
        runs.export("parket", tmp_path)
    cut = shutil.copytree(folder, tmp_path / "cut")
    next(cut.glob("*/estimates.json")).unlink()
    with pytest.raises(InputError, match="mores resume"):
        mores.load(cut).export("csv", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_every_eval_ever_holds_each_figure_with_its_interval_and_each_graded_answer(
    ladder: Runs, tmp_path: Path
) -> None:
    left = ladder.export("every-eval-ever", tmp_path)
    wholes = {json.loads(path.read_text())["evaluation_id"]: path for path in tmp_path.glob("data/mores/*/*/*.json")}
    assert len(wholes) == len(ladder.results.evaluations)
    for path in wholes.values():
        whole = json.loads(path.read_text())
        assert UUID(path.stem).version == 4
        assert set(whole) <= AGGREGATE
        assert whole["schema_version"] == "0.3.0"
        assert whole["model_info"]["id"] == f"{path.parent.parent.name}/{path.parent.name}"
        (result,) = (
            each for each in ladder.results.evaluations
            if whole["evaluation_results"][0]["source_data"]["dataset_name"] == each.benchmark
        )  # fmt: skip
        figures = {each["evaluation_name"]: each for each in whole["evaluation_results"]}
        headline = result.overall()
        assert headline is not None
        name = f"{result.benchmark.replace('/', '.')}.{result.headline}"
        told = figures[name]["score_details"]
        assert told["score"] == headline.value
        assert told["uncertainty"]["num_samples"] == headline.graded
        interval = told["uncertainty"].get("confidence_interval", {})
        assert (interval.get("lower"), interval.get("upper")) == (headline.low, headline.high)
        assert told["details"]["worst_if_ungraded_were_wrong"] == str(headline.worst)
        for each in figures.values():
            config = each["metric_config"]
            assert config["min_score"] <= each["score_details"]["score"] <= config["max_score"]
        detail = whole["detailed_evaluation_results"]
        samples = (tmp_path / detail["file_path"]).read_bytes()
        assert detail["checksum"] == hashlib.sha256(samples).hexdigest()
        lines = [json.loads(line) for line in samples.splitlines()]
        graded = [play for play in plays_of(result) if play.score is not None]
        assert detail["total_rows"] == len(lines) == len(graded)
        for line, play in zip(lines, graded, strict=True):
            assert set(line) <= LINE
            assert line["evaluation"]["score"] == play.score
            assert ("messages" in line) == (line["interaction_type"] == "multi_turn") != ("output" in line)
            assert all(isinstance(value, str) for value in line["metadata"].values())
    assert any(whole is not None and whole.low for each in ladder.results.evaluations for whole in [each.overall()])
    ungraded = sum(play.score is None for each in ladder.results.evaluations for play in plays_of(each))
    assert any(line == f"{ungraded:,} answers that nobody could grade" for line in left) == bool(ungraded)
    assert ungraded


def test_a_run_in_other_scripts_is_read_back_whole_with_the_questions_that_are_not_counted(tmp_path: Path) -> None:
    data = TINY / "blend"
    runs = mores.run("blend/saq_local", model="simulated/typical", data=data, out=tmp_path / "run")
    runs.export("inspect", tmp_path / "logs")
    (log,) = (tmp_path / "logs").glob("*.eval")
    back = mores.run("blend/saq_local", model=f"recorded/{log}", data=data, out=tmp_path / "back")
    told = [
        [(each["task"], each["item"], each["points"], each["reason"]) for each in which.verdicts]
        for which in (runs, back)
    ]
    assert told[0] == told[1]
    assert {each["task"] for each in back.verdicts} >= {"match", "unknown"}
    assert "2 answers that the headline does not count" in runs.export("every-eval-ever", tmp_path / "ever")


def test_inspects_log_holds_each_answer_and_says_what_is_ungraded(ladder: Runs, tmp_path: Path) -> None:
    left = ladder.export("inspect", tmp_path)
    assert any("intervals of groups" in line for line in left)
    for result, path in zip(ladder.results.evaluations, _logs(ladder, tmp_path), strict=True):
        with zipfile.ZipFile(path) as log:
            head = json.loads(log.read("header.json"))
            samples = [json.loads(log.read(name)) for name in log.namelist() if name.startswith("samples/")]
        plays = [*plays_of(result)]
        assert len(samples) == len(plays) == head["results"]["total_samples"]
        first, whole = head["results"]["scores"][0], result.overall()
        assert whole is not None
        assert first["name"] == result.headline
        assert first["metrics"]["value"]["value"] == whole.value
        assert first["metrics"].get("lower", {}).get("value") == whole.low
        assert first["unscored_samples"] == sum(play.score is None for play in plays)
        for sample, play in zip(samples, plays, strict=True):
            assert (sample["scores"] == {}) == (play.score is None)
            assert sample["metadata"].get("ungraded") == play.cause
            assert sample["metadata"]["simulated"]


def test_inspects_readers_show_the_headline_first(ladder: Runs, tmp_path: Path) -> None:
    ladder.export("inspect", tmp_path)
    for result, path in zip(ladder.results.evaluations, _logs(ladder, tmp_path), strict=True):
        with zipfile.ZipFile(path) as log:
            head, start = (json.loads(log.read(name)) for name in ("header.json", "_journal/start.json"))
        headline = {"scorer": "mores", "score": result.headline, "metric": "value"}
        assert head["results"]["headline"] == headline
        assert head["eval"]["headline_metric"] == start["eval"]["headline_metric"] == headline


def test_a_talk_is_exported_with_its_scene_and_with_what_each_was_told(ladder: Runs, tmp_path: Path) -> None:
    ladder.export("inspect", tmp_path)
    by_benchmark = dict(zip(ladder.benchmarks, _logs(ladder, tmp_path), strict=True))
    with zipfile.ZipFile(by_benchmark["ladder/converse"]) as log:
        samples = [json.loads(log.read(name)) for name in log.namelist() if name.startswith("samples/")]
    assert len({sample["input"] for sample in samples}) == len({sample["id"] for sample in samples}) > 1
    for sample in samples:
        other, own, *_ = sample["messages"]
        assert (own["role"], own["content"]) == ("system", sample["input"])
        assert other["role"] == "system"
        assert other["content"].startswith("antagonist: ")


def _logs(ladder: Runs, folder: Path) -> list[Path]:
    by_task = {}
    for path in folder.glob("*.eval"):
        with zipfile.ZipFile(path) as log:
            by_task[json.loads(log.read("header.json"))["eval"]["task"]] = path
    return [by_task[each.benchmark] for each in ladder.results.evaluations]


def test_a_plays_words_are_the_transcripts_without_the_judges(ladder: Runs) -> None:
    for result in ladder.results.evaluations:
        transcripts = {(each.item, each.sample): each for each in result.transcripts()}
        for play in plays_of(result):
            events = transcripts[play.about.item, play.sample].events
            judged = {getattr(e, "text", None) for e in events if getattr(e, "role", "").startswith("judge")}
            assert not judged & {turn.text for turn in play.turns} - {"", None}
            assert all(isinstance(v, Graded) for v in play.verdicts) == (play.cause is None)


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model that knows, one that knows nearly as much, and one that guesses, in a table for a paper."""
    out = tmp_path_factory.mktemp("latex")
    models = ["simulated/typical:know=.95,judge=.95", "simulated/typical:know=.94,judge=.94", "baseline/random"]
    mores.run(["ladder/know", "ladder/judge"], model=models, limit=100, out=out / "run").export("latex", out)
    return (out / "table.tex").read_text()


def test_a_table_for_a_paper_is_whole_and_marks_none_that_cannot_be_told_apart(table: str) -> None:
    assert table.count(r"\begin{") == table.count(r"\end{") == 2
    assert all(rule in table for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    rows = [line for line in table.splitlines() if line.rstrip().endswith((r"\\", r"\\[2pt]"))]
    assert {line.replace(r"\&", "").count("&") for line in rows} == {2}
    assert len(rows) == 2 + 2 * 3
    assert table.count(r"$\dagger$") == 1 + 0 * 1
    assert r"\textbf{Simulated:}" in table
    assert not re.search(r"(?<!\\)[#_]|(?<!\\)%(?! (Needs|Not))", table)
    assert len(re.findall(r"\[\d+\.\d, \d+\.\d\], \$n\$ \d+", table)) == 6
    assert r"\textbf{9" not in table


def test_the_best_is_marked_where_the_test_tells_it_from_every_other(tmp_path: Path) -> None:
    models = ["baseline/random", "simulated/typical:know=.95,judge=.95"]
    mores.run("ladder/judge", model=models, places=SOME, out=tmp_path / "run").export("latex", tmp_path)
    marked = [line for line in (tmp_path / "table.tex").read_text().splitlines() if r"& \textbf{" in line]
    assert len(marked) == 1
    assert "simulated/typical" in marked[0]


def test_models_that_do_not_compare_stand_in_one_table_without_a_mark(tmp_path: Path) -> None:
    mores.run("ladder/judge", model="simulated/typical:judge=.95", places=SOME, out=tmp_path / "a")
    mores.run("ladder/judge", model="baseline/random", reading="strict", limit=60, out=tmp_path / "b")
    changed = tmp_path / "b" / "manifest.json"
    told = json.loads(changed.read_text())
    told["card"]["version"] = "3-A"
    changed.write_text(json.dumps(told))
    both = mores.load([tmp_path / "a", tmp_path / "b"])
    left = both.export("latex", tmp_path)
    assert r"& \textbf{" not in (tmp_path / "table.tex").read_text()
    assert any("do not compare" in line and "card versions 2-A and 3-A" in line for line in left)
    assert {row["version"] for row in both.estimates} == {"2-A", "3-A"}


def test_words_of_a_model_are_no_commands_of_latex() -> None:
    assert latex(r"\input{x} $a_b^c$ 5% #1 ~&") == (
        r"\textbackslash{}input\{x\} \$a\_b\textasciicircum{}c\$ 5\% \#1 \textasciitilde{}\&"
    )


@pytest.mark.neighbours
def test_every_eval_evers_own_validator_passes_all_files(ladder: Runs, runs: Runs, tmp_path: Path) -> None:
    python = python_of("every-eval-ever")
    for each in (ladder, runs):
        each.export("every-eval-ever", tmp_path)
    said = subprocess.run(
        [python, "-m", "every_eval_ever", "validate", "--format", "json", "data/*/*/*/*.json*"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stdout[-3000:] + said.stderr[-1000:]


READ = """
import json, sys
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
told = {}
for path in sys.argv[1:]:
    log = read_eval_log(path)
    scores = {score.name: {name: each.value for name, each in score.metrics.items()} for score in log.results.scores}
    samples = {f"{each.id}#{each.epoch - 1}": [each.scores["mores"].value if each.scores else None,
               each.metadata["place"], each.output.completion] for each in log.samples}
    assert len(read_eval_log_sample_summaries(path)) == len(samples)
    told[log.eval.task] = [log.status, scores, samples]
print(json.dumps(told))
"""


@pytest.mark.neighbours
def test_inspects_own_reader_reads_figures_scores_places_and_words(ladder: Runs, tmp_path: Path) -> None:
    python = python_of("inspect")
    ladder.export("inspect", tmp_path)
    said = subprocess.run(
        [python, "-c", READ, *map(str, tmp_path.glob("*.eval"))], capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr[-3000:]
    told = json.loads(said.stdout.splitlines()[-1])
    for result in ladder.results.evaluations:
        status, scores, samples = told[result.benchmark]
        whole = result.overall()
        assert whole is not None
        assert status == "success"
        assert scores[result.headline]["value"] == whole.value
        for play in plays_of(result):
            score, place, words = samples[f"{play.about.item}#{play.sample}"]
            assert score == play.score
            assert place == play.about.place
            assert words == (play.answers[-1].text if play.answers else "")


@pytest.mark.neighbours
def test_latex_typesets_the_table(table: str, tmp_path: Path) -> None:
    tex = shutil.which("pdflatex") or shutil.which("xelatex")
    if tex is None:
        pytest.skip("no LaTeX here; install texlive-latex-recommended to typeset the table")
    page = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{table}\\end{{document}}\n"
    (tmp_path / "page.tex").write_text(page)
    said = subprocess.run(
        [tex, "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 0, said.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 1000


def test_an_export_that_was_cut_short_is_completed_and_one_that_is_there_is_left_alone(
    folder: Path, tmp_path: Path
) -> None:
    runs = mores.load(folder)
    runs.export("csv", tmp_path / "whole")
    runs.export("csv", tmp_path / "cut")
    lost = tmp_path / "cut" / "verdicts.csv"
    lost.rename(tmp_path / "cut" / ".verdicts.csv.0123456789abcdef.part")
    kept = (tmp_path / "cut" / "items.csv").stat()
    for _ in range(2):
        runs.export("csv", tmp_path / "cut")
        files = {path.name: path.read_bytes() for path in (tmp_path / "cut").iterdir()}
        assert files == {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    assert (tmp_path / "cut" / "items.csv").stat().st_ino == kept.st_ino
