"""What people read: the measurements as tables, as ratios, and as a section of docs/speed.md."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.speed.contender import Contender
from benchmarks.speed.measure import Cell, Result

BEGIN, END = "<!-- speed: measured, begin -->", "<!-- speed: measured, end -->"
PREFACE = f"# Speed\n\nWhat a call costs beyond the model's own time.\n\n{BEGIN}\n{END}\n"
METHOD = """\
Every contender puts one-turn true/false questions to the same local endpoint, which answers after a fixed latency and
runs in a process of its own. They take turns, cell by cell, each in a fresh process and as its own documentation would
have it set up. *Loop* is CPU a call, user and system, without the start: for the bare loop and the official client it
is their asking, for the other harnesses their evaluate call with logs and scores, for mores its plays from the first
call to the last verdict in its file (journal, retries, parsing and verdicts are in it; `took` in the manifest).
*Sockets alone* is the floor: a selector, and each answer read by its length; the bare libcurl loop is what libcurl
costs by itself. At 4,096 in flight each puts 16,384 calls, so that not only the making of connections is measured.
*Whole* is the entire process over its calls: with its start, and for mores with the estimates and the report page.
*Held* is the share of the window in flight from its filling to the last item's start; *MiB* is the peak of memory.
Only the ratios carry over to another machine. Run it yourself: `benchmarks/speed/peers.sh`, then `python -m
benchmarks.speed`."""


def combined(results: list[Result]) -> dict[tuple[str, Cell], Result]:
    """For each contender and cell the run with the median loop CPU (the lower of two)."""
    runs: dict[tuple[str, Cell], list[Result]] = {}
    for result in results:
        runs.setdefault((result.contender, Cell(result.window, result.latency_ms)), []).append(result)
    return {key: sorted(many, key=lambda r: r.loop_cpu_ms)[(len(many) - 1) // 2] for key, many in runs.items()}


def figures(results: list[Result], who: list[Contender]) -> str:
    """Markdown table of all figures, a row for each cell and contender."""
    best = combined(results)
    titles = {contender.name: contender.title for contender in who}
    lines = [
        "| slots | latency, ms | contender | calls | loop CPU, ms | × bare | whole CPU, ms | loop, s | held | MiB |",
        "|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for (name, cell), r in sorted(best.items(), key=lambda pair: (pair[0][1], list(titles).index(pair[0][0]))):
        bare = best.get(("bare", cell))
        ratio = f"{r.loop_cpu_ms / bare.loop_cpu_ms:.1f}" if bare else "–"
        held = "–" if r.held is None else f"{100 * r.held:.1f} %"
        lines.append(
            f"| {cell.window} | {cell.latency_ms} | {titles[name]} | {r.calls:,} | {r.loop_cpu_ms:.3f} | {ratio} "
            f"| {r.whole_cpu_ms:.3f} | {r.loop_seconds:.1f} | {held} | {r.peak_mib:.0f} |"
        )
    return "\n".join(lines)


def ratios(results: list[Result], who: list[Contender]) -> str:
    """Markdown table: each contender's CPU a call over that of the bare loop and of ours, median over the cells."""
    best = combined(results)
    yardsticks = [name for name in ("floor", "bare", "ours") if any(key[0] == name for key in best)]
    lines = ["| contender | " + " | ".join(f"loop CPU over {name}" for name in yardsticks) + " | cells |"]
    lines.append("|---|" + "--:|" * (len(yardsticks) + 1))
    for contender in who:
        cells = [cell for name, cell in best if name == contender.name]
        if cells:
            shown = [_over(best, contender.name, yardstick, cells) for yardstick in yardsticks]
            lines.append(f"| {contender.title} | {' | '.join(shown)} | {len(cells)} |")
    return "\n".join(lines)


def _over(best: dict[tuple[str, Cell], Result], name: str, yardstick: str, cells: list[Cell]) -> str:
    shares = [
        best[name, cell].loop_cpu_ms / best[yardstick, cell].loop_cpu_ms for cell in cells if (yardstick, cell) in best
    ]
    return f"{median(shares):.2f} ({min(shares):.2f}–{max(shares):.2f})" if shares else "–"


NARROW = frozenset(Cell(window, latency) for window in (64, 256) for latency in (0, 50))
"""The cells over which promises are made of ratios."""
WIDE = Cell(4096, 0)


def promises(results: list[Result]) -> list[str]:
    """What we promise of our own speed, each with the worst figure measured and whether it is kept."""
    best = combined(results)
    if not any(name == "ours" for name, _ in best):
        return ["mores was not measured."]
    said = []
    loops, wholes = (_of_bare(best, "ours", figure) for figure in ("loop_cpu_ms", "whole_cpu_ms"))
    if loops:
        most = max(loops)
        said.append(
            promise("a call's loop costs at most .7 of the bare aiohttp loop's", f"{most:.2f}", kept=most <= 0.7)
        )
        most = max(wholes)
        said.append(promise("a whole run costs at most 1.3 of the bare loop's", f"{most:.2f}", kept=most <= 1.3))
    if ("ours", WIDE) in best and ("before", WIDE) in best:
        times = best["before", WIDE].loop_seconds / best["ours", WIDE].loop_seconds
        said.append(
            promise("three times as many calls a second at 4,096 in flight as before", f"{times:.1f}", kept=times >= 3)
        )
    held = best["ours", Cell(256, 200)].held if ("ours", Cell(256, 200)) in best else None
    if held is not None:
        said.append(promise("256 slots held at 200 ms, 95 %", f"{100 * held:.1f} %", kept=held >= 0.95))
    return said


def _of_bare(best: dict[tuple[str, Cell], Result], name: str, figure: str) -> list[float]:
    """A figure of one contender over that of the bare loop, in each cell of promises that both were measured in."""
    cells = [cell for cell in sorted(NARROW) if (name, cell) in best and ("bare", cell) in best]
    return [getattr(best[name, cell], figure) / getattr(best["bare", cell], figure) for cell in cells]


def promise(words: str, found: str, *, kept: bool) -> str:
    """A promise with what was measured, and whether it is kept."""
    return f"{'kept' if kept else 'BROKEN'}: {words} ({found})"


def machine() -> str:
    """The machine in a line: processor, cores, memory, system."""
    info = Path("/proc/cpuinfo")
    models = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}"
    )


def measured_on() -> str:
    """When and on what was measured, in a sentence."""
    return f"Measured on {datetime.now(UTC):%Y-%m-%d}; {machine()}."


def section(results: list[Result], who: list[Contender], notes: list[str]) -> str:
    """The section of docs/speed.md, its markers around it."""
    measured = [contender for contender in who if any(r.contender == contender.name for r in results)]
    lines = [measured_on(), "", METHOD, "", ratios(results, who), ""]
    lines += [f"- {line}" for line in (*promises(results), *notes)]
    lines += ["", figures(results, who), "", "Versions:", ""]
    for contender in measured:
        told = ", ".join(f"{name} {version}" for name, version in contender.versions().items())
        lines.append(f"- {contender.title}: {told}")
    return "\n".join([BEGIN, *lines, END])


def record(path: Path, written: str, marks: tuple[str, str] = (BEGIN, END)) -> None:
    """Put the section in place of the one between the markers; a missing file is begun."""
    begin, end = marks
    text = path.read_text(encoding="utf-8") if path.exists() else PREFACE
    if begin not in text:
        text += f"\n{begin}\n{end}\n"
    before, after = text.split(begin)[0], text.split(end)[1]
    path.parent.mkdir(exist_ok=True)
    path.write_text(before + written + after, encoding="utf-8")
