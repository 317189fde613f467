"""lm-evaluation-harness: one generative task over these items, asked through its own chat client."""

import tempfile
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

from benchmarks.speed.contenders.meter import MODEL, Task, metered, task

TASK = """task: standin
dataset_path: json
dataset_kwargs:
  data_files:
    test: {items}
test_split: test
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{target}}}}"
generation_kwargs:
  until: []
  max_gen_toks: 16
  temperature: 0.0
metric_list:
  - metric: exact_match
"""


def run(given: Task, folder: str) -> None:
    """Evaluate with as many connections as the window has slots."""
    Path(folder, "standin.yaml").write_text(TASK.format(items=given.path.resolve()), encoding="utf-8")
    client = {"model": MODEL, "base_url": f"{given.url}/chat/completions", "tokenized_requests": False}
    results = simple_evaluate(
        model="local-chat-completions",
        model_args={**client, "num_concurrent": given.window},
        tasks=["standin"],
        task_manager=TaskManager(include_path=folder, include_defaults=False),
        apply_chat_template=True,
        limit=len(given.rows),
        bootstrap_iters=0,
    )
    assert results is not None


if __name__ == "__main__":
    given = task()
    with tempfile.TemporaryDirectory() as folder, metered():
        run(given, folder)
