"""What comes after the last reply: `python -m benchmarks.speed.after [--before TREE]`.

Scoring, estimates, files, page and the first screen, in CPU seconds of the process itself. Runs of simulated models go
in turns, of this tree and of an older one where it is named; the least of some tries counts.
"""

import argparse
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.speed.contender import ROOT
from benchmarks.speed.items import items, write_csv
from benchmarks.speed.measure import SEED
from benchmarks.speed.start import process

CALLS = 5000
LADDER, HARD = "mores run, the ladder", f"mores run culturalbench/hard, {CALLS:,} calls"
METERED = """
import atexit, time
import mores.runs.run_study as playing
spent, over = 0.0, 0.0
finish_evaluation, run_study = playing.finish_evaluation, playing.run_study

def finished(*given, **named):
    global spent
    began = time.process_time()
    try:
        return finish_evaluation(*given, **named)
    finally:
        spent += time.process_time() - began

async def played(study):
    global over
    try:
        return await run_study(study)
    finally:
        over = time.process_time()

playing.finish_evaluation, playing.run_study = finished, played
atexit.register(lambda: print(f"\\n{spent + time.process_time() - over}"))
from mores.cli.main import main
main()
"""
"""Runs `mores`, and says last what was spent after the plays of each evaluation and after all of them."""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.after", description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, metavar="TREE", help="compare with this tree of the repository")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each; the least counts")
    options = parser.parse_args()
    trees = [ROOT] if options.before is None else [ROOT, options.before.resolve()]
    for what in (LADDER, HARD):
        tries = [[spent(what, tree) for tree in trees] for _ in range(options.repeats)]
        now, *old = map(min, zip(*tries, strict=True))
        over = "".join(f", {now / each:.2f} of {each:.2f} s before" for each in old)
        print(f"{what}: {now:.2f} s of CPU after the last reply{over}", flush=True)
    return 0


def spent(what: str, tree: Path) -> float:
    """CPU seconds after the last reply in one run of the code in a tree."""
    with TemporaryDirectory() as folder:
        data = Path(folder) / "hard.csv"
        write_csv(data, items(CALLS, SEED))
        asked = [] if what == LADDER else ["culturalbench/hard", "--data", str(data)]
        words = ["-c", METERED, "run", *asked, "--out", str(Path(folder) / "run")]
        with process(words, tree) as child:
            said, _ = child.communicate()
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, words)
    return float(said.decode().splitlines()[-1])


if __name__ == "__main__":
    raise SystemExit(main())
