"""The recipes of docs/clusters.md, carried out with stand-ins of their launchers, leave what one run leaves."""

import os
import re
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from threading import Thread

import pytest

from tests.conftest import ROOT, write_cultural
from tests.endpoint import Endpoint, running
from tests.runs.conduct import left, mores

CLIENT = """#!{python} -S
import os, sys
sys.path += {path!r}
from multiprocessing.connection import Client
with Client({address!r}) as door:
    door.send((sys.argv[1:], os.getcwd(), dict(os.environ)))
    code, errors = door.recv()
sys.stderr.write(errors)
sys.exit(code)
"""
VLLM = """#!/bin/bash
while [ "$1" != --port ]; do shift; done
cd {root} && exec {python} -m tests.endpoint --port $2
"""
CURL = """#!/bin/bash
url=${!#} && port=${url##*:} && exec 3<>/dev/tcp/127.0.0.1/${port%%/*}
"""
SBATCH = """#!/bin/bash
if [ "$1" = --parsable ]; then
  for task in 1 2; do
    SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=2 \\
      SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=2 bash "$2" >&2 || exit 1
  done
  echo 7
else
  [ "$1" = --dependency=afterok:7 ] && bash -c "$3"
fi
"""
MODAL = """
class Any:
    def __getattr__(self, name):
        return lambda *given, **options: self

class App(Any):
    def __init__(self, name):
        pass

    def function(self, **options):
        def of(ask):
            ask.map = lambda numbers: [ask(number) for number in numbers]
            return ask
        return of

    def local_entrypoint(self):
        return lambda main: main()

Volume, Image, Secret = Any(), Any(), Any()
"""
DASK = """
class Client:
    def __init__(self, address):
        self.address = address

    def map(self, function, values, pure, retries):
        return [lambda value=value: function(value) for value in values]

    def gather(self, futures):
        return [future() for future in futures]
"""


def recipe(launcher: str, number: int = 0) -> str:
    """The words of a block of code under the heading of a launcher, for two parts."""
    section = (ROOT / "docs" / "clusters.md").read_text().partition(f"\n## {launcher}\n")[2].partition("\n## ")[0]
    words = re.findall(r"^```\w+\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)[number]
    for whole, half in (("of-4", "of-2"), ("--parts 4", "--parts 2"), ("range(1, 5)", "range(1, 3)"), ("}/4", "}/2")):
        words = words.replace(whole, half)
    return str(words)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def one(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files of the whole run, in one process."""
    folder = tmp_path_factory.mktemp("one")
    write_cultural(folder, 12)
    words = ("run", "culturalbench/hard", "--data", folder, "--model", "vllm/my-model", "--base-url", endpoint.url)
    assert mores(*words, "--out", "run", cwd=folder).returncode == 0
    return left(folder / "run")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder with data, and first on the path a `mores` that need not import everything first."""
    for name in ("parts/data", "node", "data", "bin", "dask", "temporary"):
        (tmp_path / name).mkdir(parents=True)
    write_cultural(tmp_path / "parts" / "data", 12)
    write_cultural(tmp_path / "data", 12)
    address = str(tmp_path / "door")
    words = CLIENT.format(python=sys.executable, path=[path for path in sys.path if path], address=address)
    vllm = VLLM.format(root=ROOT, python=sys.executable)
    for name, script in {"mores": words, "vllm": vllm, "curl": CURL, "sbatch": SBATCH}.items():
        (tmp_path / "bin" / name).write_text(script)
        (tmp_path / "bin" / name).chmod(0o700)
    (tmp_path / "modal.py").write_text(MODAL)
    (tmp_path / "dask" / "distributed.py").write_text(DASK)
    with Listener(address) as door:
        Thread(target=_serve, args=(door,), daemon=True).start()
        yield tmp_path


def _serve(door: Listener) -> None:
    while True:
        try:
            caller: Connection = door.accept()
        except OSError:
            return
        words, folder, environment = caller.recv()
        done = mores(*words, cwd=Path(folder), **environment)
        caller.send((done.returncode, done.stderr))


def carry_out(place: Path, words: str, interpreter: str = "bash", **environment: str) -> None:
    """Run a recipe in a folder."""
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    around = {**os.environ, "PATH": path, "PYTHONPATH": str(place), "TMPDIR": str(place / "temporary")}
    options = ["-e"] if interpreter == "bash" else []
    command = [interpreter, *options, "-c", words]
    done = subprocess.run(
        command, cwd=place, env={**around, **environment}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def here(words: str, place: Path, endpoint: Endpoint) -> str:
    """A recipe whose places are within a folder of this machine."""
    for name, own in (("/parts", place / "parts"), ("/node", place / "node"), ("~", "")):
        words = re.sub(rf"(?<![\w./]){name}(?=[/\s\"$])", str(own), words)
    return words.replace("http://models:8000/v1", endpoint.url)


def script_of(yaml: str, key: str) -> str:
    """The script that stands as a block under a key."""
    return textwrap.dedent(yaml.partition(f"{key} |\n")[2])


def test_slurm(place: Path, one: dict[str, bytes]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1] - 1
    (place / "part.sh").write_text(recipe("Slurm").replace("20000", str(port)))
    carry_out(place, recipe("Slurm", 1))
    assert left(place / "whole") == {name: text.replace(b"my-model", b"my-org/my-model") for name, text in one.items()}


@pytest.mark.parametrize(
    ("launcher", "key", "number", "count"),
    [
        ("Kubernetes", "-", "JOB_COMPLETION_INDEX", ""),
        ("SkyPilot", "run:", "SKYPILOT_NODE_RANK", "SKYPILOT_NUM_NODES"),
    ],
)
def test_tasks_with_a_script(
    place: Path, one: dict[str, bytes], endpoint: Endpoint, launcher: str, key: str, number: str, count: str
) -> None:
    words = here(script_of(recipe(launcher), key), place, endpoint)
    for task in range(2):
        carry_out(place, words, **{number: str(task), **({count: "2"} if count else {})})
        assert (place / "parts" / f"part-{task + 1}-of-2" / "estimates.json").is_file()
    carry_out(place, "mores merge parts --out parts/whole")
    assert left(place / "parts" / "whole") == one


@pytest.mark.parametrize("launcher", ["Modal", "Dask"])
def test_tasks_in_python(place: Path, one: dict[str, bytes], endpoint: Endpoint, launcher: str) -> None:
    words = here(recipe(launcher), place, endpoint)
    carry_out(place, words, sys.executable)
    if launcher == "Modal":
        carry_out(place, "mores merge parts --out whole")
    assert left(place / "whole") == one
