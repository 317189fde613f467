"""Tools of neighbours in environments of their own, made once: none of them is a dependency of ours."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PLACE = ROOT / "build" / "neighbours"
PACKAGES = {
    "inspect": (("inspect-ai==0.3.285",), ()),
    "ray": (("-r", str(ROOT / "requirements.lock"), "ray[client]==2.60.0"), ()),
    "every-eval-ever": (
        ("jsonschema>=4.26,<5", "pydantic>=2.12,<3", "pyyaml>=6", "requests>=2.32,<3", "rich>=14,<16",
         "huggingface-hub>=1,<2"),
        ("every-eval-ever==0.3.0",),
    ),
    "lm-eval": (("lm-eval==0.4.13", "--editable", str(ROOT)), ()),
    "helm": (("crfm-helm==0.5.16", "torch==2.13.0", "--editable", str(ROOT)), ()),
}  # fmt: skip
"""What each environment holds: packages, and packages without what they ask for.

`ROOT` is mores itself, for programs that run our benchmarks. Every Eval Ever's validator needs a tenth of what the
package brings, and runs on Python 3.11 too.
"""


def python_of(name: str) -> Path:
    """The Python of an environment; the test is skipped with the reason where it cannot be made here."""
    python = PLACE / name / "bin" / "python"
    ready = PLACE / name / ".ready"
    if not ready.is_file():
        whole, alone = PACKAGES[name]
        uv = Path(sys.executable).with_name("uv")
        bare = uv.is_file() and not alone  # without pip, whose own installation takes three seconds
        make = [str(uv), "venv", "--quiet", "--python", sys.executable] if bare else [sys.executable, "-m", "venv"]
        _do([*make, "--clear", str(PLACE / name)], name)
        own = [str(python), "-m", "pip", "install"]
        pip = [str(uv), "pip", "install", "--python", str(python)] if uv.is_file() else own
        _do([*pip, "--quiet", *whole], name, seconds=1200)
        if alone:
            _do([*own, "--quiet", "--no-deps", "--ignore-requires-python", *alone], name)
        ready.touch()
    return python


def _do(command: list[str], name: str, seconds: float = 300) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        pytest.skip(f"the environment of {name} cannot be made here: {last}")
