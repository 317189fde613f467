"""Public data go through every build in turn, each killed and resumed, and each release runs as its benchmark."""

import csv
import signal
from pathlib import Path

import pytest

from mores.core.codec import encode_lines
from mores.pipelines.norms.norm_base_file import BASE, read_base
from mores.pipelines.norms.pipeline import BUNDLES
from tests.pipelines.test_every_build import at_reply
from tests.pipelines.verbs import bundles_of, released, words_of
from tests.runs.conduct import mores

VALUES = "question,codes,place,topic,statement\n" + "\n".join(
    f"Q{number},1,{place},Trust,Many people hold that {number} friends are enough."
    for number, place in enumerate(("JP", "BR", "EG", "DE"), start=1)
)
RUNS = {
    "questions": (("cultureforest/easy", "cultureforest/hard"), "data"),
    "subgroups": (("cure/specnorm_thin",), "data"),
    "dialogues": (("socialcc/dialogue",), "data"),
    "ladder": (("ladder/know", "ladder/converse"), "pack"),
}


def some_rows(table: Path, target: Path, count: int, each: str = "") -> Path:
    """The first rows of a table, so many of each value of a column where one is named."""
    seen: dict[str, int] = {}
    with table.open(encoding="utf-8", newline="") as lines, target.open("w", encoding="utf-8", newline="") as kept:
        rows = csv.DictReader(lines)
        writer = csv.DictWriter(kept, rows.fieldnames or ())
        writer.writeheader()
        for row in rows:
            seen[row.get(each, "")] = seen.get(row.get(each, ""), 0) + 1
            if seen[row.get(each, "")] <= count:
                writer.writerow(row)
    return target


@pytest.mark.soak
def test_each_build_makes_a_release_of_public_data_killed_and_resumed_that_runs_as_its_benchmark(
    tmp_path: Path, data: Path
) -> None:
    normad = some_rows(data / "normad.csv", tmp_path / "normad.csv", 2, "Country")
    contexts = some_rows(data / "culturebank-contexts.csv", tmp_path / "contexts.csv", 30)
    (tmp_path / "values.csv").write_text(VALUES, encoding="utf-8")
    typed: dict[str, list[object]] = {
        "norms": [normad, data / "cultureforest-norms-sample.json"],
        "topics": [tmp_path / "norms" / BASE],
        "questions": [tmp_path / "topics", "--limit", 6],
        "subgroups": [contexts, "--limit", 12],
        "dialogues": [tmp_path / "topics", tmp_path / "values.csv", "--limit", 6],
        "ladder": ["--norms", tmp_path / "topics", "--limit", 6],
    }
    for name, given in typed.items():
        out = tmp_path / name
        died = mores(*words_of(name, given, out), cwd=tmp_path, before=at_reply(7))
        assert died.returncode == -signal.SIGKILL, died.stderr
        done = mores(*words_of(name, given, out), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        whole = mores(*words_of(name, given, tmp_path / f"whole-{name}"), cwd=tmp_path)
        assert whole.returncode == 0, whole.stderr
        assert released(out) == released(tmp_path / f"whole-{name}")
        assert (out / "datasheet.json").is_file()
        if name == "topics":
            (out / BUNDLES).write_bytes(encode_lines(bundles_of(read_base(out).norms)))
    for name, (benchmarks, where) in RUNS.items():
        read = ("--data", tmp_path / name / where)
        ran = mores("run", *benchmarks, *read, "--out", tmp_path / f"run-{name}", "--limit", 4, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
