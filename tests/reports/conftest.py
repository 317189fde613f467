"""Small runs to report on: simulated subjects on the bundled pack, and recorded words on questions of our own."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from mores.analysis.results import Results
from mores.runs.loading import read_results
from mores.runs.run_study import run_study
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.study import Study

Held = Callable[..., Path]


@pytest.fixture(scope="session")
def held(tmp_path_factory: pytest.TempPathFactory) -> Held:
    """Run a spec in a fresh folder and give the folder."""

    def hold(*benchmarks: str, name: str = "run", **wished: object) -> Path:
        folder = tmp_path_factory.mktemp("runs") / name
        spec = Spec(benchmarks=benchmarks, **wished)  # type: ignore[arg-type]
        study = Study(spec=spec, conditions=ExecutionSpec(first_wait=0.0), folder=folder)
        assert asyncio.run(run_study(study))
        return folder

    return hold


@pytest.fixture(scope="session")
def ladder(held: Held) -> Path:
    """Both lower rungs, by a typical simulated subject and one with refusals, broken calls and weak places."""
    models = ("simulated/typical", "simulated/uneven:refusal=.05,failure=.03")
    return held("ladder/know", "ladder/judge", models=models, limit=60, places=("JP", "NG", "BR", "IN", "DE", "ID"))


@pytest.fixture(scope="session")
def found(ladder: Path) -> Results:
    """What that run found."""
    return read_results([ladder])


SPOKEN = '<script>alert(1)</script><img src="https://example.org/x">'


@pytest.fixture(scope="session")
def spoken(held: Held, cultural: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four recorded replies to closed questions: markup, nothing at all, a right one, and one that is missing."""
    path = tmp_path_factory.mktemp("recorded") / "said.jsonl"
    rows = [("easy-0", SPOKEN), ("easy-1", ""), ("easy-2", "C")]
    lines = [f'{{"item": "{item}", "reply": {_quoted(reply)}}}\n' for item, reply in rows]
    path.write_text("".join(lines), encoding="utf-8")
    return held("culturalbench/easy", models=(f"recorded/{path}",), data=str(cultural))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
