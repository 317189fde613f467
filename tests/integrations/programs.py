"""HELM and lm-eval at work in environments of their own, with the models of `stand_in`."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.api.neighbours import python_of
from tests.conftest import ROOT
from tests.integrations.standing import data_of
from tests.runs.conduct import surroundings

DEPLOYMENTS = "model_deployments:\n" + "".join(
    f"  - {{name: stand-in/{role}, model_name: stand-in/{role}, tokenizer_name: simple/tokenizer1, "
    "max_sequence_length: 100000, client_spec: {class_name: tests.integrations.helm_client.StandIn}}\n"
    for role in ("subject", "judge")
)


def lm_eval_run(tasks: Path, out: Path, *names: str) -> dict[str, dict[str, Any]]:
    """The results of tasks by lm-eval's own command line, by task."""
    command = [
        str(python_of("lm-eval")), "-m", "tests.integrations.lm_eval_model", "run", "--include_path", str(tasks),
        "--tasks", ",".join(names), "--model", "stand-in", "--log_samples", "--output_path", str(out),
    ]  # fmt: skip
    done = _done(command, out.parent)
    assert done.returncode == 0, done.stderr[-3000:]
    (path,) = out.glob("*/results_*.json")
    results: dict[str, dict[str, Any]] = json.loads(path.read_text())["results"]
    return results


def entry(name: str, **options: object) -> str:
    """The run entry of a benchmark in HELM."""
    given = {"data": data_of(name), **options, "model": "stand-in/subject"}
    return f"mores_{name.replace('/', '_')}:" + ",".join(f"{key}={value}" for key, value in given.items())


def helm_run(folder: Path, *entries: str) -> "subprocess.CompletedProcess[str]":
    """`helm-run` of some entries, asked to take one instance of each alone."""
    models = folder / "prod_env"
    models.mkdir(parents=True, exist_ok=True)
    (models / "model_deployments.yaml").write_text(DEPLOYMENTS)
    command = [
        str(python_of("helm").with_name("helm-run")), "--run-entries", *entries, "--suite", "s", "--local-path",
        str(models), "--max-eval-instances", "1", "--num-threads", "2",
    ]  # fmt: skip
    return _done(command, folder)


def _done(command: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    environment = {**surroundings(), "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
