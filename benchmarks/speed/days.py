"""What days in town cost: calls and shared beginnings of one day, its time, and many days at once.

`python -m benchmarks.speed.days [--whole]`. Populations and norms are made up. The reference day has 30 steps, 300
norms a place, nine people who are seen, and a conversation of eight utterances at every other step. Many days are lived
by 1,000 residents with as many norms: days of a few steps without conversations, or whole ones (a quarter of an hour).
CPU is of the plays, from the first call to the last verdict in its file; memory is the kernel's peak of the process.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from benchmarks.speed.contender import ROOT, Spent, contenders
from benchmarks.speed.measure import FOLDER, Cell, Failed, measure, surroundings, wait
from benchmarks.speed.report import promise
from mores.core.seeds import Seed
from mores.core.transcript import SpeechEvent, StepStartEvent, Subtask, SubtaskCheckEvent, read_event
from mores.models.journal_reader import read_entries
from mores.norms.norm_base import KINDS
from mores.worlds.town.people import Population, Ties, WordColumn
from mores.worlds.town.plans import DayPlan, plan_lines
from mores.worlds.town.population_files import write_population
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.streets import build_town
from tests.endpoint import Endpoint, running

STEPS, NORMS, NEARBY, UTTERANCES = 30, 300, 9, 8
LEAN = STEPS + STEPS * NEARBY + STEPS // 2 * UTTERANCES + STEPS + 3 * STEPS + 1
"""Calls of the reference day: deeds, deeds of others, utterances, norms, goal with profile and situation, plan."""
MANY, SLOTS, IN_FLIGHT = 300, 256, 1000
FEW, FEWER = {"steps": "6"}, {"steps": "3"}
LIMIT_SECONDS = 1800
WAIT, TALK = '{"deed": "wait", "to": []}', '{"deed": "do", "action": "visit a neighbour", "to": []}'
SAYS: dict[str, str] = {
    **{f"Step {number} of {STEPS}.": TALK if number % 2 else WAIT for number in range(1, STEPS + 1)},
    "What do you do?": WAIT,
    "What do you say?": '{"say": "It is a fine day, and there is much to be done in it.", "leave": false}',
    "whether it is done by now": '{"answers": [{"id": "1", "reason": "It was not done.", "choice": "no"}]}',
}
"""What the endpoint says: to minds by the step or by what is asked, to the verifier of the goal; else by the schema."""


class Run(NamedTuple):
    """A finished run: its folder, the plays' time and CPU, its process's memory, and the endpoint's account."""

    folder: Path
    took: Spent
    peak_mib: float
    calls: int
    held: float | None


def main() -> int:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.days", description=__doc__.splitlines()[0])
    parser.add_argument("--whole", action="store_true", help="many days are whole ones")
    whole = parser.parse_args().whole
    with running() as endpoint:
        endpoint.answers(SAYS)
        for lines in told(endpoint, {} if whole else FEW, {} if whole else FEWER):
            print("\n".join(lines), flush=True)
    return 0


def told(endpoint: Endpoint, few: dict[str, str], fewer: dict[str, str]) -> Iterator[list[str]]:
    """All figures in words, each promise with what was measured; settings of many days, and of very many."""
    yield one_day(endpoint)
    yield many_days(endpoint, few)
    yield in_flight(endpoint, fewer)


def one_day(endpoint: Endpoint) -> list[str]:
    """The reference day at 50 ms: its calls, the share of its words that came before, and its time over the least."""
    run = live(endpoint, reference(), 1, latency_ms=50, concurrency=64)
    asked = list(read_entries(run.folder / "journal.sqlite"))
    roles = Counter(entry.tag.role for entry in asked)
    share = shared([(e.tag.role, "\x1e".join(m.content for m in e.messages)) for e in asked])
    least = critical_path(run.folder) * 0.05
    over = run.took.seconds / least
    told_ = ", ".join(f"{role} {count}" for role, count in sorted(roles.items()))
    return [
        f"days: the reference day takes {len(asked)} calls ({told_})",
        promise(f"at most 1.05 × {LEAN} calls", f"{len(asked) / LEAN:.3f}", kept=len(asked) <= 1.05 * LEAN),
        promise("80 % of what is asked begins as an earlier call", f"{100 * share:.1f} %", kept=share >= 0.8),
        promise("at most 1.15 × its critical path at 50 ms", f"{over:.2f} of {least:.1f} s", kept=over <= 1.15),
    ]


def many_days(endpoint: Endpoint, settings: dict[str, str]) -> list[str]:
    """300 days at once at 200 ms: slots held, CPU a call beside that of a bare loop in the same run, and memory."""
    bare = measure(next(one for one in contenders() if one.name == "bare"), Cell(SLOTS, 200), 5000, endpoint)
    run = live(endpoint, town(), MANY, latency_ms=200, concurrency=SLOTS, settings=settings)
    share, cpu, least = (run.held or 0.0) / SLOTS, 1000 * run.took.cpu_seconds / run.calls, bare.loop_cpu_ms
    return [
        f"days: {MANY} at once, {run.calls:,} calls at 200 ms in {run.took.seconds:.0f} s, {gigabytes(run):.2f} GB",
        promise(f"{SLOTS} slots held, 90 %", f"{100 * share:.1f} %", kept=share >= 0.9),
        promise("a call costs at most 0.5 ms of CPU", f"{cpu:.2f} ms", kept=cpu <= 0.5),
        f"days: that is {cpu / least:.1f} × a call of the bare loop, which costs {least:.2f} ms in the same run",
    ]


def in_flight(endpoint: Endpoint, settings: dict[str, str]) -> list[str]:
    """1,000 days in flight: memory."""
    run = live(endpoint, town(), IN_FLIGHT, latency_ms=200, concurrency=IN_FLIGHT, settings=settings)
    return [
        f"days: {IN_FLIGHT:,} in flight, {run.calls:,} calls in {run.took.seconds:.0f} s",
        promise(
            f"{IN_FLIGHT:,} days in flight take under 1.5 GB", f"{gigabytes(run):.2f} GB", kept=gigabytes(run) < 1.5
        ),
    ]


def gigabytes(run: Run) -> float:
    """Peak memory of a run's process."""
    return run.peak_mib * 1.048576 / 1000


def live(
    endpoint: Endpoint,
    data: Path,
    days: int,
    *,
    latency_ms: int,
    concurrency: int,
    settings: dict[str, str] | None = None,
    tree: Path = ROOT,
) -> Run:
    """A run of so many days, by the code of a tree.

    Raises:
        Failed: it exits with other than 0.
    """
    endpoint.set(latency_ms=latency_ms)
    endpoint.reset()
    out = FOLDER / "days"
    shutil.rmtree(out, ignore_errors=True)
    chosen = [word for name, value in (settings or {}).items() for word in ("--set", f"{name}={value}")]
    command = [
        sys.executable, "-m", "mores", "run", "liveculture/town", "--model", "vllm/a", "--role", "supporter=vllm/b",
        "--judge", "vllm/c", "--base-url", endpoint.url, "--data", str(data), "--out", str(out), "--limit", str(days),
        "--concurrency", str(concurrency), *chosen,
    ]  # fmt: skip
    environment = surroundings(tree / "src")
    with TemporaryFile() as said:
        with subprocess.Popen(command, stdout=said, stderr=said, cwd=ROOT, env=environment) as process:
            code, used = wait(process, LIMIT_SECONDS)
        if code:
            said.seek(0)
            raise Failed(f"exit {code}: {said.read().decode(errors='replace').strip()[-300:]}")
    took = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["took"]
    requests = endpoint.counts().requests
    held = endpoint.held(concurrency + 1, requests * 4 // 5) if requests > 3 * concurrency else None
    return Run(out, Spent(took["cpu_seconds"], took["seconds"]), used.ru_maxrss / 1024, requests, held)


def critical_path(folder: Path) -> int:
    """Calls of one day that truly wait for each other: a step's deeds, each utterance, the goal; the rest at once."""
    (line,) = (folder / "transcripts.jsonl").read_bytes().splitlines()
    events = [read_event(event) for event in json.loads(line)["events"]]
    waited = sum(isinstance(event, StepStartEvent | SpeechEvent) for event in events)
    checked = {event.step for event in events if isinstance(event, SubtaskCheckEvent)}  # tasks of a step in one call
    return waited + len(checked) + 1


def shared(asked: list[tuple[str, str]]) -> float:
    """Share of the characters that stand at the beginning of an earlier call of the same model too."""
    same = whole = 0
    earlier: dict[str, list[str]] = {}
    for role, words in asked:
        same += max((common(words, other) for other in earlier.get(role, ())), default=0)
        whole += len(words)
        earlier.setdefault(role, []).append(words)
    return same / whole


def common(one: str, other: str) -> int:
    """Characters that two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def fresh(name: str) -> Path:
    """An empty folder for what is made."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def reference() -> Path:
    """Forty people of one house who are at home but for errands, and a task for all day."""
    folder = fresh("days-reference")
    people = house(40)
    write_population(people, folder / "population.jsonl")
    task = Subtask(id=1, words="get the whole house together", kind="apartment", start=420, end=1320)
    plans = {person: DayPlan(goal="Have company.", subtasks=(task,)) for person in range(len(people))}
    (folder / "plans.jsonl").write_bytes(plan_lines(plans, population=people.fingerprint, planner="made up"))
    norms(folder, people)
    return folder


def house(size: int) -> Population:
    """So many people who live at one place and work nowhere."""
    root = Seed("speed")
    found = sample_population(size, root.child("people"), town=build_town(root.child("streets")))
    nothing, empty = WordColumn.column([""] * size), np.zeros(0, dtype=np.int32)
    home = found.town.of_kind("apartment")[0]
    return replace(
        found,
        nationality=WordColumn.column(["AU"] * size),
        household=np.arange(size, dtype=np.int32),
        home=np.full(size, home, dtype=np.int32),
        work=np.full(size, -1, dtype=np.int32),
        status=WordColumn.column(["not working"] * size),
        role=WordColumn.column(["lone"] * size),
        occupation=nothing,
        title=nothing,
        ties=Ties(source=empty, target=empty, kind=WordColumn.column([])),
    )


def town() -> Path:
    """A thousand people by the census."""
    folder = fresh("days-town")
    root = Seed("speed")
    people = sample_population(1000, root.child("people"), town=build_town(root.child("streets")))
    write_population(people, folder / "population.jsonl")
    norms(folder, people)
    return folder


def norms(folder: Path, people: Population) -> None:
    """As many norms of each origin as the reference asks for, each at all places."""
    lines = [json.dumps({"base": "mores town norms 1", "made_from": "speed", "made_by": "hand"})]
    lines += [json.dumps(row) for origin in people.nationality.words for row in _norms(origin)]
    (folder / "town-norms.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _norms(origin: str) -> Iterator[dict[str, object]]:
    fits = [{"kind": kind, "confidence": 1.0, "reason": "made up"} for kind in KINDS]
    for number in range(NORMS):
        words = (
            f"Many people there do what is asked of them in case {number} of those that one can think of at a place."
        )
        yield {"id": f"{origin}-{number}", "place": origin, "statement": words, "source": "made up", "fits": fits}


if __name__ == "__main__":
    sys.exit(main())
