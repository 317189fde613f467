"""`python -m tests.golden.media RUNS TEXTS`: the golden runs in every medium, as text, to diff two trees.

RUNS is played once, where it is not there yet, and can be read by many trees. TEXTS gets pages, short and full screens,
JSON, CSV, LaTeX and the index of figures with their data; what differs only in words is for a reader to judge, a value
that is gone is not. `python -m tests.golden.media RUNS TEXTS ladder` makes those of one report alone.
"""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from mores.exports.figures import index, to_csv, who_is_simulated
from mores.exports.figures.found import figures_of
from mores.runs.loading import read_results
from tests.benchmarks.masked_pack import write_pack
from tests.golden.lines import RESULTS, SOME
from tests.golden.pages import page_as_text
from tests.golden.play import play, typed

_THINKERS = " ".join(f"-m simulated/typical:know=.5,thinking=.4,person={n}" for n in range(6))
_SURE = "-m simulated/typical:know=.8,judge=.8,format_error=0 -m simulated/novice"
_TWO = "-m simulated/typical -m simulated/novice"
_TWELVE = " ".join(f"-m simulated/typical:person={n}" for n in range(12))
ALSO = (
    f"run ladder/know ladder/judge --data masks {_SURE} --control all --out controls --json",
    f"run ladder/know {SOME} {_THINKERS} --thinking off --out thinking-off --json",
    f"run ladder/know {SOME} {_THINKERS} --thinking high --out thinking-high --json",
    f"run culturalbench/easy {_TWO} --prompt-variants 3 --limit 40 --data data/cultural --out wordings --json",
    "run ladder --limit 3 --places JP --out small --json",
    f"run ladder {SOME} --limit 10 {_TWELVE} --out twelve --json",
)
"""Runs beside the golden ones: controls, thinking, wordings, one too small for intervals, one of twelve models."""
REPORTS = {
    **{name.removeprefix("report-"): line for name, line in RESULTS.items() if name.startswith("report-")},
    "controls": "report controls --json",
    "thinking": "report thinking-off thinking-high --json",
    "wordings": "report wordings --json",
    "small": "report small --json",
    "twelve": "report twelve --json",
}
COMPARED = {
    **{name: line for name, line in RESULTS.items() if name.startswith("compare-")},
    "compare-thinking": "compare thinking-off thinking-high --json",
}
OTHERS = {
    name: line for name, line in RESULTS.items() if name.startswith(("agreement-", "correct-", "items-", "plan-"))
}


def played(folder: Path) -> None:
    """Play all of it, where it is not there."""
    if not folder.exists():
        play(folder)
        write_pack(folder / "masks")
        for line in ALSO:
            done = typed(line, folder)
            if done.code:
                raise RuntimeError(f"mores {line}: exit {done.code}: {done.err}")


def media_of(name: str, folder: Path, out: Path) -> Iterator[tuple[str, str]]:
    """Names and texts of everything that one line comes to."""
    line = {**REPORTS, **COMPARED, **OTHERS}[name]
    plain = line.replace(" --json", "")
    page = out / "page.html"
    yield f"{name}.json", _indented(typed(line, folder).out)
    with_page = f"{plain} --out {page}" if line.startswith(("report", "compare")) else plain
    yield f"{name}.txt", typed(with_page, folder).out.replace(str(page), "page.html")
    if not line.startswith(("report", "compare")):
        return
    yield f"{name}.full.txt", typed(f"{plain} --full", folder).out
    yield f"{name}.page.txt", page_as_text(page.read_text(encoding="utf-8"))
    page.unlink()
    if line.startswith("report"):
        runs = [word for word in plain.split()[1:] if (folder / word / "manifest.json").is_file()]
        yield from _exported(name, folder, runs, out)


def _exported(name: str, folder: Path, runs: list[str], out: Path) -> Iterator[tuple[str, str]]:
    for to in ("csv", "latex"):
        made = out / "made"
        typed(f"export {' '.join(runs)} --to {to} --out {made}", folder)
        for file in sorted(made.glob("*")):
            if file.stem not in {"scores", "items", "transcripts", "verdicts"}:
                yield f"{name}.{file.name}", file.read_text(encoding="utf-8")
        shutil.rmtree(made, ignore_errors=True)
    results = read_results([folder / run for run in runs])
    figures = figures_of(results)
    yield f"{name}.figures.md", index(figures, simulated=who_is_simulated(results))
    for figure in figures:
        yield f"{name}.figure.{figure.name}.csv", to_csv(figure)


def _indented(out: str) -> str:
    lines = (
        json.dumps(json.loads(line), indent=1, ensure_ascii=False) for line in out.splitlines() if line[:1] in "{["
    )
    return "\n".join((*lines, ""))


if __name__ == "__main__":
    runs, texts, *chosen = sys.argv[1:]
    there, made = Path(runs).absolute(), Path(texts).absolute()
    made.mkdir(parents=True, exist_ok=True)
    played(there)
    for name in chosen or [*REPORTS, *COMPARED, *OTHERS]:
        for file, text in media_of(name, there, made):
            (made / file).write_text(text.replace(str(there), "RUNS"), encoding="utf-8")
    print(f"{len(list(made.iterdir()))} texts in {made}")  # noqa: T201
