"""Inspect AI: one task of these samples, `generate()` and its `match` scorer, its own log written."""

import tempfile

from inspect_ai import Task as InspectTask
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from benchmarks.speed.contenders.meter import MODEL, Task, metered, task


def run(given: Task, folder: str) -> None:
    """Evaluate with as many connections and samples as the window has slots."""
    samples = [Sample(input=row["prompt"], target=row["target"]) for row in given.rows]
    logs = inspect_eval(
        InspectTask(dataset=MemoryDataset(samples), solver=generate(), scorer=match()),
        model=f"openai-api/standin/{MODEL}",
        model_base_url=given.url,
        model_args={"api_key": "none"},
        max_connections=given.window,
        max_samples=given.window,
        temperature=0.0,
        max_tokens=16,
        display="none",
        log_dir=folder,
    )
    assert logs[0].status == "success", logs[0].error


if __name__ == "__main__":
    given = task()
    with tempfile.TemporaryDirectory() as folder, metered():
        run(given, folder)
