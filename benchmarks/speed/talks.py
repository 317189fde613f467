"""What talks cost: 300 held at once with a local endpoint, and all of SocialCC's 3,060 with simulated minds.

`python -m benchmarks.speed --only talks`. Scenarios are made up in SocialCC's layout. The endpoint says nine turns and
four judgements a talk, each after 50 ms, so a talk takes at least 0.5 s however little is done beside. *Loop* is from
the first call to the last verdict in its file, as for single questions; *whole* is the process with its start, its
figures and its report page, by the kernel's account.
"""

import csv
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from benchmarks.speed.contender import ROOT, Spent
from benchmarks.speed.measure import FOLDER, Failed, surroundings, wait
from benchmarks.speed.report import promise
from tests.endpoint import Endpoint

TALKS, TURNS, JUDGEMENTS, LATENCY_MS = 300, 9, 4, 50
ALL = 3060
PLACES = ("Brazil", "Egypt", "Germany", "India", "Japan", "Mexico", "Nigeria", "Peru", "South Korea", "Vietnam")
SCENES = 158
OPENING = "(The conversation begins. You speak first.)"
LINES = (*(f"So much for point {number}, then." for number in range(1, TURNS)), "OK. GOOD BYE!")
OPINION = {"reason": "Round 2 shows it."}
ANSWERS = [{"id": name, **OPINION, "choice": "yes"} for name in ("goal", "respected", "respected_both")]
SAYS: dict[str, str] = {
    "did they notice, unprompted": json.dumps({**OPINION, "choice": "yes"}),
    "do they know a custom": json.dumps({**OPINION, "choice": "correct"}),
    "what many people of a place hold dear": json.dumps({**OPINION, "choice": "no"}),
    "decide three facts about how": json.dumps({"answers": ANSWERS}),
    **dict(zip((OPENING, *LINES), LINES, strict=False)),
}
"""What the endpoint says: to a judge by what it is asked, to a mind by what it heard last."""


class Held(NamedTuple):
    """What it took to hold some talks: seconds by the clock and of CPU of the loop and of all, and peak memory."""

    talks: int
    loop: Spent
    whole: Spent
    peak_mib: float


class Both(NamedTuple):
    """Talks held at once with the endpoint, and all with simulated minds."""

    live: Held
    made_up: Held


def measured(endpoint: Endpoint) -> Both:
    """What both took.

    Raises:
        Failed: a run failed, or the endpoint was not asked as often as planned.
    """
    endpoint.set(latency_ms=LATENCY_MS)
    endpoint.answers(SAYS)
    endpoint.reset()
    roles = ["--model", "vllm/a", "--role", "antagonist=vllm/b", "--judge", "vllm/c", "--base-url", endpoint.url]
    live = hold(TALKS, *roles, "--concurrency", str(TALKS))
    calls, planned = endpoint.counts().answered, TALKS * (TURNS + JUDGEMENTS)
    if not planned <= calls <= planned + 3:  # a probe of each model
        raise Failed(f"{calls} calls were answered; {planned} were planned")
    return Both(live, hold(ALL, "--model", "simulated/typical", "--judge", "simulated/judge"))


def told(found: Both) -> list[str]:
    """Both in words, each promise with what was measured."""
    live, made_up = found
    calls, bound = TALKS * (TURNS + JUDGEMENTS), LATENCY_MS / 1000 * (TURNS + 1)
    cpu, beyond = live.loop.cpu_seconds, live.loop.seconds - bound
    at_once = (
        f"talks: {TALKS} at once, {calls:,} calls at {LATENCY_MS} ms: loop {cpu:.2f} s of CPU "
        f"({1000 * cpu / calls:.2f} ms a call) and {live.loop.seconds:.2f} s, of which latency is {bound:.1f} s; "
        f"whole {live.whole.cpu_seconds:.2f} s of CPU and {live.whole.seconds:.2f} s"
    )
    all_of_them = (
        f"talks: {ALL:,} with simulated minds: whole {made_up.whole.seconds:.1f} s, "
        f"{made_up.whole.cpu_seconds:.1f} s of CPU, {made_up.peak_mib:.0f} MiB"
    )
    return [
        at_once,
        all_of_them,
        promise(f"{TALKS} talks cost at most 1.5 s of CPU", f"{cpu:.2f} s", kept=cpu <= 1.5),
        promise("and at most 1.5 s beyond the bound of latency", f"{beyond:.2f} s", kept=beyond <= 1.5),
        promise(f"{ALL:,} talks take under 25 s", f"{made_up.whole.seconds:.1f} s", kept=made_up.whole.seconds < 25),
        promise("and under 300 MB", f"{made_up.peak_mib:.0f} MiB", kept=made_up.peak_mib * 1.048576 < 300),
    ]


def hold(talks: int, *how: str) -> Held:
    """What it takes `mores run` to hold so many talks.

    Raises:
        Failed: it exits with other than 0.
    """
    out = FOLDER / "talks"
    shutil.rmtree(out, ignore_errors=True)
    data = written(FOLDER / f"socialcc-{talks}.csv", talks)
    command = [sys.executable, "-m", "mores", "run", "socialcc/dialogue", "--data", str(data), "--out", str(out), *how]
    with TemporaryFile() as said:
        began = time.perf_counter()
        with subprocess.Popen(command, stdout=said, stderr=said, cwd=ROOT, env=surroundings()) as process:
            code, used = wait(process)
        seconds = time.perf_counter() - began
        if code:
            said.seek(0)
            raise Failed(f"exit {code}: {said.read().decode(errors='replace').strip()[-300:]}")
    took = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["took"]
    whole = Spent(used.ru_utime + used.ru_stime, seconds)
    return Held(talks, Spent(took["cpu_seconds"], took["seconds"]), whole, used.ru_maxrss / 1024)


def written(path: Path, talks: int) -> Path:
    """So many scenarios in SocialCC's layout, over as many scenes as the real ones have."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [scenario(number) for number in range(talks)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def scenario(number: int) -> dict[str, str]:
    """One made-up scenario, about as long as the real ones."""
    scene, here, there = number % SCENES, PLACES[number % 10], PLACES[number // 10 % 10]
    what = f"case {scene}"
    return {
        "Data_ID": str(number),
        "WVSN": "1",
        "Option": "1",
        "WVS—Class": f"TOPIC {number % 10}",
        "Country_Knowledge": here,
        "Country_Value": there,
        "Agent_1": "Ana",
        "Agent_2": "Ben",
        "Agent_3": "Cleo",
        "Agent_1_Background": "Ana: a cook of 31 from Spain.",
        "Agent_2_Background": f"Ben: a nurse of 29 from {there}.",
        "Agent_3_Background": f"Cleo: a clerk of 40 from {here}.",
        "Relationship": "",
        "Scenario": f"Ana and Ben are on the way to Cleo, who has invited them to {what}, and talk it over on the bus.",
        "Event_1": f"Agree on what to bring to {what}.",
        "Event_2": f"Talk over what {what} says about work and rest.",
        "Cultural Knowledge_1": f"In {here} many people would rather not be given the thing of {what} by a guest.",
        "Cultural Value_1": f"In {there} many people hold that rest comes before work in {what}.",
        "Agent_1_Goal_1": f"Propose to bring the thing of {what}.",
        "Agent_1_Goal_2": f"Say that work comes first in {what}.",
        "Agent_2_Goal_1": f"Settle on what to bring to {what}.",
        "Agent_2_Goal_2": f"Say how you see rest in {what}.",
    }
