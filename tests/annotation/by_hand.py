"""Tables made by hand: what judges said, what people said, and where it belongs, so that figures can be worked out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mores.annotation.judged_items import JudgedEvaluation, JudgedItem
from mores.annotation.label_tables import TaskTable
from mores.core.verdict import JudgeAnswer, JudgedUnit, Vote

WORDS = ("yes", "no")


@dataclass(frozen=True, kw_only=True)
class Hand:
    """A table to be: by judge what it said of each thing, draw by draw, None for nothing; what people said of each.

    Judges and people say words of `options`, or points where there are none. Whatever is not given is the same of all.
    """

    judges: Mapping[str, Sequence[Sequence[object]]]
    people: Mapping[str, Sequence[object]]
    options: tuple[str, ...] = WORDS
    places: Sequence[str] = ()
    languages: Sequence[str] = ()
    clusters: Sequence[str] = ()
    models: Sequence[str] = ()
    words: Sequence[int | None] = ()
    specs: Mapping[str, str] = field(default_factory=dict)
    task: str = "fair"

    def table(self) -> TaskTable:
        """The table."""
        count = len(next(iter(self.judges.values())))
        labels = [[self._code(of[row]) for of in self.people.values()] for row in range(count)]
        return TaskTable(
            benchmark="own/scenes",
            task=self.task,
            options=self.options,
            rows=tuple(self._row(row) for row in range(count)),
            people=tuple(self.people),
            labels=np.array(labels, dtype=np.float64).reshape(count, len(self.people)),
            splits=np.full(count, "", dtype=np.str_),
            ids=np.full(count, "", dtype=np.str_),
        )

    def _code(self, said: object) -> float:
        if said is None:
            return np.nan
        return float(self.options.index(str(said))) if self.options else float(str(said))

    def _row(self, row: int) -> JudgedItem:
        model = self.models[row] if self.models else "maker/subject"
        specs = {judge: self.specs.get(judge, f"maker/{judge}") for judge in self.judges}
        evaluation = JudgedEvaluation(
            run=Path("run"), folder=Path("run") / model, model=model, benchmark="own/scenes", judges=specs,
                    simulated=False, manifest={})  # fmt: skip
        thing = JudgedUnit(f"scene-{row}", 0, self.task)
        votes = {
            judge: tuple(self._vote(thing, judge, draw, said) for draw, said in enumerate(of[row]))
            for judge, of in self.judges.items()
        }
        return JudgedItem(
            evaluation=evaluation,
            thing=thing,
            place=self.places[row] if self.places else "",
            language=self.languages[row] if self.languages else "en",
            cluster=self.clusters[row] if self.clusters else thing.item,
            options=self.options,
            prompt="0123",
            votes=votes,
            words=self.words[row] if self.words else None,
        )

    def _vote(self, thing: JudgedUnit, judge: str, draw: int, said: object) -> Vote:
        if said is None:
            one = JudgeAnswer(cause="cut short")
        elif self.options:
            one = JudgeAnswer(label=str(said), reason=f"{said}, as it seems")
        else:
            one = JudgeAnswer(points=float(str(said)), reason="so it seems")
        return Vote(item=thing.item, sample=0, task=thing.task, judge=judge, draw=draw, prompt="0123",
                    options=self.options, said={"": one})  # fmt: skip


def once(said: Sequence[object]) -> list[list[object]]:
    """What a judge says that is asked once of each thing."""
    return [[each] for each in said]
