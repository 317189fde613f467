"""A stranger can follow a run: few modules take part in it, and what is handed on goes down the rooms."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.endpoint import running

MOST_MODULES, MOST_CLIMBS = 152, 10


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Modules and walks of `mores run ladder/know` at an endpoint."""
    out = tmp_path_factory.mktemp("way") / "run"
    with running() as endpoint:
        words = f"run ladder/know --model vllm/test --base-url {endpoint.url} --limit 12 --out {out}"
        done = subprocess.run(
            [sys.executable, "-m", "tests.runs.traced", *words.split()], capture_output=True, text=True, check=False
        )
    assert (out / "report.html").is_file(), done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_few_modules_take_part_in_a_run(way: dict[str, Any]) -> None:
    assert "mores.models.client" in way["modules"]
    assert len(way["modules"]) <= MOST_MODULES, "\n".join(way["modules"])


def test_what_a_run_hands_on_goes_down_the_rooms(way: dict[str, Any]) -> None:
    assert {"Evaluation", "Request", "RunArgs", "Study"} <= way["walks"].keys()
    assert all(climbs <= MOST_CLIMBS for climbs in way["walks"].values()), way["walks"]
