"""A benchmark of closed questions as the functions that a task of lm-evaluation-harness names.

rows ─▶ replies of the harness's model ─▶ figures over all of them

`mores export --to lm-eval` writes the tasks, and beside them the module that makes a `Task` of each benchmark.
"""

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import nan
from typing import Any

from mores.core.extras import needed
from mores.hosted import Hosted
from mores.integrations.replies import figures_by_name, gold_of, grade, opened, words_of
from mores.models.logs.logged_reply import Logged, reply_of

__all__ = ["Task"]
OF_ENVIRONMENT = ("data", "limit")
"""Options that MORES_DATA and MORES_LIMIT change: data lie elsewhere on another machine, and --limit cuts units."""


class Task:
    """One benchmark with options of `mores.hosted`; `metrics` are the names of figures that its task lists.

    The harness copies what it holds of a task, so that the items are kept elsewhere.
    """

    def __init__(self, name: str, metrics: Sequence[str], **options: Any) -> None:
        given = {each: os.environ.get(f"MORES_{each.upper()}") for each in OF_ENVIRONMENT}
        self.name, self.metrics = name, tuple(metrics)
        self.options = options | {each: value for each, value in given.items() if value}

    @property
    def bench(self) -> Hosted:
        """The benchmark, opened when it is first needed.

        Raises:
            InputError: an option cannot be used, or data are missing.
        """
        return opened(self.name, **self.options)

    def rows(self, **_: object) -> Mapping[str, Any]:
        """The dataset: a row an item, with its words, its right label and its place.

        Raises:
            InputError: as for `bench`.
        """
        bench = self.bench
        rows = [
            {"item": name, "prompt": words_of(bench, name), "gold": gold_of(bench, name), "place": item.about.place}
            for name, item in bench.items.items()
        ]
        return {"test": needed("datasets").Dataset.from_list(rows)}

    def results(self, doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, list[str]]:
        """Item and replies of a row, under each metric: figures are of all rows at once."""
        (replies,) = results  # one filter takes all samples; a failed call ends the harness's run, and null is empty
        return {key: [doc["item"], *(reply or "" for reply in replies)] for key in self.metrics}

    def figure(self, metric: str) -> Callable[[Iterable[Sequence[str]]], float]:
        """Function that gives one figure of what `results` kept of all rows; not a number where it has no value."""

        def aggregate(kept: Iterable[Sequence[str]]) -> float:
            options = tuple(sorted(self.options.items()))
            return _figures(self.name, options, tuple(map(tuple, kept))).get(metric, nan)

        return aggregate


@lru_cache(maxsize=4)
def _figures(name: str, options: tuple[tuple[str, Any], ...], kept: tuple[tuple[str, ...], ...]) -> dict[str, float]:
    bench = opened(name, **dict(options))
    if len(kept) < len(bench.items):
        logging.getLogger(__name__).warning(
            "%s: %s of %s items were asked, so that units and places may be cut; MORES_LIMIT=N takes whole units, and "
            "--limit the first rows.", name, len(kept), len(bench.items),
        )  # fmt: skip
    given = [
        Logged(where=name, item=item, sample=sample, reply=reply_of(text))
        for item, *replies in kept
        for sample, text in enumerate(replies)
    ]
    return figures_by_name(bench, (line for lines in grade(bench, given) for line in lines))
