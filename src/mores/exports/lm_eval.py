"""Tasks of lm-evaluation-harness that ask what runs asked: a YAML a benchmark, a module for all, and how to run them.

Only closed questions have a task: the harness puts each question once, and nobody judges there.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from mores.analysis.results import Result, Results
from mores.benchmarks import catalogue
from mores.core.card import FIRST
from mores.core.errors import InputError
from mores.core.prompt import Wording
from mores.exports import ExportedFiles
from mores.runs.spec import OF_SUBJECT, Spec, made, spec_in

OPTIONS = ("places", "items", "limit", "samples", "seed", "temperature", "top_p", "answer_tokens", "reading", "shuffle")
"""Choices of a run that a task takes as they are."""
COUNTS = ("low", "high", "asked", "graded")
"""Figures of the headline beside its value."""


class _Task(Struct, frozen=True, kw_only=True):
    """A benchmark as a run asked it: its options by name, prompts in other words by key, its figures and sampling."""

    result: Result
    options: Mapping[str, Any]
    words: Mapping[str, Wording]

    @property
    def name(self) -> str:
        """Name of the benchmark where no slash may stand."""
        return self.result.benchmark.replace("/", "_")

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of its figures, the headline first and what belongs to it next."""
        headline, *others = dict.fromkeys(each.metric for each in self.result.estimates if not each.group)
        return (headline, *(f"{headline}_{part}" for part in COUNTS), *others)


def lm_eval_tasks(results: Results) -> ExportedFiles:
    """A folder for the harness's `--include_path`, and what of the runs has no task.

    Raises:
        InputError: no benchmark of the runs is closed, or two runs ask one in different ways.
    """
    left: dict[str, None] = {}
    tasks: dict[str, _Task] = {}
    for result in results.evaluations:
        spec = spec_in(result.folder)
        why = _why_not(result, spec)
        if why:
            left[f"{result.benchmark}{result.variant.suffix}: {why}"] = None
            continue
        task = _Task(
            result=result, options=_options(result, spec), words=catalogue.taken(result.benchmark, spec.prompts)
        )
        first = tasks.setdefault(task.name, task)
        if (first.options, first.words) != (task.options, task.words):
            raise InputError(
                f"{result.benchmark}: {first.result.run} and {result.run} ask it in different ways; export one."
            )
        left |= dict.fromkeys(_not_carried(result, spec))
    if not tasks:
        raise InputError(f"--to lm-eval: {'; '.join(left)}.")
    return ExportedFiles(files=dict(_files(tasks)), left_out=tuple(left))


def _why_not(result: Result, spec: Spec) -> str:
    """Reason for there being no task; empty where there is one."""
    if set(result.provenance.protocol.roles) != {"subject"}:
        return "nobody judges in lm-eval, which puts single questions; use Inspect or mores run"
    if result.variant != FIRST:
        return "a task has the first wording and order alone"
    return "a shard of a run is no whole; mores merge joins them" if spec.shard else ""


def _not_carried(result: Result, spec: Spec) -> Iterator[str]:
    given = [name for name in OF_SUBJECT if name not in OPTIONS and made(getattr(spec, name))]
    if given:
        yield f"{result.benchmark}: {', '.join(given)} of the run's endpoint; say it in --model_args or --gen_kwargs"
    if spec.until is not None:
        yield f"{result.benchmark}: that the run stopped once '{spec.until}' was decided; the task asks all items"


def _options(result: Result, spec: Spec) -> dict[str, Any]:
    """Options of `mores.hosted` that ask what the run asked; values are such as can stand in a module."""
    known = {option.name for option in catalogue.card(result.benchmark).options}
    settings = tuple(f"{name}={value}" for name, value in spec.settings.items() if name in known)
    given = {"data": spec.data, **{name: getattr(spec, name) for name in OPTIONS}, "setting": settings}
    return {name: value for name, value in given.items() if value is not None and value != ()}


def _files(tasks: Mapping[str, _Task]) -> Iterator[tuple[str, bytes]]:
    module = [_HEAD]
    for name, task in tasks.items():
        files = {key: f"{name}.{number}.prompt.md" for number, key in enumerate(task.words, start=1)}
        module.append(_functions(task, files))
        yield f"mores_{name}.yaml", _yaml(task).encode()
        for key, file in files.items():
            yield file, task.words[key].text.encode()
    yield "utils.py", "\n".join(module).encode()
    yield "README.md", _readme(tasks).encode()


_HEAD = '''"""What the tasks beside this module name; written by `mores export --to lm-eval`."""

from pathlib import Path

from mores.integrations.lm_eval import Task

HERE = Path(__file__).parent
'''


def _functions(task: _Task, files: Mapping[str, str]) -> str:
    options = {name: repr(value) for name, value in task.options.items()}
    if files:
        options["prompt"] = "(" + "".join(f'f"{key}={{HERE}}/{file}", ' for key, file in files.items()) + ")"
    given = "".join(f"    {name}={value},\n" for name, value in options.items())
    lines = [f"{task.name} = Task(\n    {task.result.benchmark!r},\n    metrics={task.metrics!r},\n{given})"]
    lines += [f"{task.name}_{part} = {task.name}.{part}" for part in ("rows", "results")]
    lines += [f'{task.name}_{metric} = {task.name}.figure("{metric}")' for metric in task.metrics]
    return "\n".join(lines) + "\n"


def _yaml(task: _Task) -> str:
    """The task in YAML; its words are in quotes as JSON's, which are YAML's too, but for the harness's own tags."""
    protocol, card = task.result.provenance.protocol, catalogue.card(task.result.benchmark)
    sampling: dict[str, object] = {
        "until": [],
        "do_sample": bool(protocol.sampling.temperature),
        "temperature": protocol.sampling.temperature or 0.0,
        "max_gen_toks": protocol.answer_tokens,
        "top_p": task.options.get("top_p"),
    }
    better = {metric.name: metric.better for metric in card.metrics}
    lines = [
        f"task: mores_{task.name}",
        "tag: mores",
        f"custom_dataset: !function utils.{task.name}_rows",
        "test_split: test",
        "output_type: generate_until",
        "doc_to_text: prompt",
        "doc_to_target: gold",
        "num_fewshot: 0",
        f"generation_kwargs: {json.dumps({name: value for name, value in sampling.items() if value is not None})}",
        f"repeats: {protocol.samples}",
        "filter_list:",
        f"  - {{name: none, filter: [{{function: take_first_k, k: {protocol.samples}}}]}}",
        f"process_results: !function utils.{task.name}_results",
        "metric_list:",
    ]
    for metric in task.metrics:
        higher = json.dumps(better.get(metric) != "lower")
        lines += [f"  - metric: {metric}", f"    aggregation: !function utils.{task.name}_{metric}",
                  f"    higher_is_better: {higher}"]  # fmt: skip
    lines += ["metadata:", f"  version: {card.version.partition('-')[0]}"]
    return "\n".join(lines) + "\n"


def _readme(tasks: Mapping[str, _Task]) -> str:
    names, benchmark = [f"mores_{name}" for name in tasks], next(iter(tasks.values())).result.benchmark
    return _README.format(
        shown=", ".join(f"`{name}`" for name in names), names=",".join(names), first=names[0], benchmark=benchmark
    )


_README = """# Benchmarks of mores in lm-evaluation-harness

Tasks: {shown}. mores has to be installed beside the harness (`lm-eval[api]`, for endpoints).

```
lm-eval run --include_path . --tasks {names} --model local-chat-completions \\
    --model_args model=NAME,base_url=http://127.0.0.1:8000/v1/chat/completions --apply_chat_template \\
    --log_samples --output_path out
mores run {benchmark} --model recorded/out/NAME/samples_{first}_DATE.jsonl
```

- Words, reading and figures are those of `mores run`; equal replies give equal figures. `_low` and `_high` are the ends
  of the 95% interval, which stands in for the harness's standard error (N/A).
- Figures of places and other groups: read the samples back, as in the second command, with the data and limit of the
  tasks.
- `MORES_DATA=DIR` says where data lie on this machine, `MORES_LIMIT=N` asks N units. `--limit` takes the first rows,
  and so cuts questions and places.
- Limits on answers are of the answer alone. A model that thinks first needs more: `--gen_kwargs max_gen_toks=2048`.
- A base model without `--apply_chat_template` goes on with the words instead of answering them; its figures do not
  compare with those of a chat.
"""
