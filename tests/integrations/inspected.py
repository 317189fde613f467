"""Evaluations by Inspect of our tasks, in a process of their own, by models that say what `tests.hosted.scripted` says.

`python -m tests.integrations.inspected OUT` writes the logs of all cases into a folder, and `cases.json`: of each case
its logs, and who was asked with what limit. With names of benchmarks it writes a log of each, and a list of these.
Inspect leaves streams open, of which a suite in which warnings are errors would hear at any later moment.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from inspect_ai import eval as evaluate
from inspect_ai import score
from inspect_ai._eval.score import resolve_scorers  # what `inspect score` calls, and nothing public does
from inspect_ai._util.error import PrerequisiteError  # which Inspect prints as a line
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from mores.core.codec import canonical
from mores.integrations.inspect import _registry
from tests.benchmarks.plays import TINY
from tests.hosted.scripted import USAGE, said

SHAPES = ("culturalbench/hard", "cure/casa_thick", "ladder/converse", "ladder/live")
"""A closed question, a judged answer, a talk and a day in town."""
SAMPLES = {"culturalbench/hard": 2, "cure/casa_thick": 2}
JUDGED = ("cure/casa_thick", "ladder/live")
"""Those of which logs are judged again."""
ROLES = {role: f"voices/{role}" for role in ("judge", "antagonist", "supporter")}
asked: list[tuple[str, int | None]] = []


@modelapi(name="voices")
class Voices(ModelAPI):
    """Provider of `voices/ROLE`; `voices/ROLE-KIND` fails, thinks or is contrary, as its kind says."""

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:  # noqa: A002
        """What the role says, by the last message and the schema alone."""
        role, _, kind = self.model_name.partition("-")
        asked.append((self.model_name, config.max_tokens))
        schema = config.response_schema
        form = None if schema is None else canonical(schema.json_schema.model_dump(exclude_none=True)).decode()
        words = said(role, input[-1].text + ("?" if kind == "contrary" else ""), form)
        if words is None or kind == "away":
            raise OverflowError("scripted")
        if kind == "broken":
            raise ZeroDivisionError("no tea")
        cut = kind == "thinking" and (config.max_tokens or 0) < 1000
        found = ModelOutput.from_content("script", "" if cut else words, stop_reason="max_tokens" if cut else "stop")
        found.usage = ModelUsage(input_tokens=USAGE.input, output_tokens=USAGE.output, total_tokens=12)
        return found

    def should_retry(self, ex: Exception) -> bool:
        """True of failures that pass."""
        return isinstance(ex, OverflowError)


def task_of(name: str, **options: Any) -> Any:
    """A benchmark's task on the tiny data."""
    return getattr(_registry, name.replace("/", "_"))(data=str(TINY / name.partition("/")[0]), **options)


def run(folder: Path, tasks: Sequence[Any], model: str = "voices/subject", **more: Any) -> list[EvalLog]:
    """Logs of an evaluation of some tasks."""
    given = {"model_roles": ROLES, "max_retries": 0, "display": "none", "log_dir": str(folder), **more}
    return evaluate(list(tasks), model=model, **given)


def again(folder: Path, name: str, judge: str) -> list[EvalLog]:
    """The log of a benchmark, judged again."""
    (path,) = folder.glob(f"*_{re.sub('[^a-z]', '-', name)}_*.eval")
    log = read_eval_log(path)
    roles = ROLES | {"judge": f"voices/{judge}"}
    found = score(log, resolve_scorers(log), model_roles=roles, action="overwrite", display="none")
    found.location = str(folder.parent / f"{judge}-{path.name}")
    write_eval_log(found, found.location)
    return [found]


def cases(folder: Path) -> Iterator[tuple[str, Callable[[], list[EvalLog]]]]:
    """Each case by its name."""
    shapes, other, know = folder / "shapes", folder / "other", task_of("ladder/know", places="JP")
    yield "shapes", lambda: run(shapes, [task_of(name, samples=SAMPLES.get(name)) for name in SHAPES])
    for name in JUDGED:
        for judge in ("judge", "judge-contrary"):
            yield f"{name} by {judge}", partial(again, shapes, name, judge)
    yield "without a judge", lambda: run(other, [task_of("cure/casa_thick")], model_roles={})
    yield "cut", lambda: run(other, [task_of("culturalbench/hard")], limit=5)
    for kind in ("broken", "away", "thinking"):
        yield kind, partial(run, other, [know], f"voices/subject-{kind}", max_connections=1)


def options() -> list[object]:
    """How many samples tasks with options have, and what is said to one that there is not."""
    whole = _registry.benchmark("culturalbench/hard", data=str(TINY / "culturalbench"))
    try:
        task_of("culturalbench/hard", limits=1)
    except PrerequisiteError as error:
        return [len(whole.dataset), len(task_of("culturalbench/hard", limit=1).dataset), str(error)]
    return []


def main(folder: Path, names: Sequence[str]) -> None:
    """Carry out all cases, or an evaluation of all benchmarks that are named."""
    told: dict[str, object] = {}
    if names:
        logs = run(folder, [task_of(name, samples=SAMPLES.get(name)) for name in names])
        (folder / "cases.json").write_text(json.dumps([log.location for log in logs]), encoding="utf-8")
        return
    for name, act in cases(folder):
        asked.clear()
        told[name] = {"logs": [log.location for log in act()], "asked": asked[:]}
    told["options"] = options()
    (folder / "cases.json").write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
