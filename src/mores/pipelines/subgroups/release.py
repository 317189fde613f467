"""Scenarios in the layout that SpecNorm is released in, which `cure/specnorm_*` read, and a sheet for people.

People of the community are asked of each scenario whether it is clear, its cues right and its stance kept.
"""

from collections.abc import Iterator, Sequence

from mores.benchmarks.cure.data import CUES, specificity
from mores.core.table import sheet
from mores.norms.places import place
from mores.pipelines.checklist import Checkpoint, checklist, checkpoint
from mores.pipelines.funnel import Dropped, counted
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.pipeline import Release
from mores.pipelines.subgroups.scenario import BuiltSubgroupScenario, label_of, spaced
from mores.stats.intervals import wilson

TABLE = "data/specnorm.csv"
LEVELS = ("low", "medium", "high")
RECONSTRUCTION = "a reconstruction: CURE's prompts for SpecNorm are not public"


def release(made: Sequence[BuiltSubgroupScenario], asked: Sequence[BuiltNorm], lost: Sequence[Dropped] = ()) -> Release:
    """The files of a release with the sheet for people beside them, and what its datasheet says of it.

    `asked` are all statements that were begun with, which the answers asked for are counted of.
    """
    ordered = sorted(made, key=lambda each: each.statement.id)
    heads = ("id", "country", *CUES, "persona", "situation", "question", "label", "statement", "source")
    return Release(
        files={TABLE: sheet(heads, map(_row, ordered), encoding="utf-8"), **sheet_of(ordered)},
        facts=_facts(ordered, asked),
        gated=TABLE if made else "",
        dropped=lost,
    )


def _row(made: BuiltSubgroupScenario) -> tuple[str, ...]:
    statement, scenario = made.statement, made.scenario
    return (
        statement.id, place(statement.place).name, *(made.cues.get(cue, "") for cue in CUES), scenario.persona,
        scenario.situation, scenario.question, made.label, statement.words, statement.source,
    )  # fmt: skip


def _facts(made: Sequence[BuiltSubgroupScenario], asked: Sequence[BuiltNorm]) -> dict[str, object]:
    return {
        "prompts_are": RECONSTRUCTION,
        "scenarios": len(made),
        "by_place": counted(each.statement.place for each in made),
        "asked_for": counted(label_of(each.id) for each in asked),
        "yes_share": _share([each.label == "yes" for each in made]),
        "cues": {cue: _share([cue in each.cues for each in made]) for cue in CUES},
        "levels": {level: _share([specificity(tuple(each.cues)) == level for each in made]) for level in LEVELS},
        "retried": counted(reason for each in made for reason in each.retried),
    }


def _share(holds: Sequence[bool]) -> dict[str, float | None]:
    """A share of n scenarios with Wilson's interval; None where there are none."""
    interval = wilson(sum(holds), len(holds))
    share = sum(holds) / len(holds) if holds else None
    return {"n": len(holds), "share": share, "low": interval.low, "high": interval.high}


CLARITY, MARKS, STANCE = "cultural clarity", "cue accuracy", "stance fidelity"
ASPECTS = {
    CLARITY: "Is it clear to you who this is, what happens, and what is asked?",
    MARKS: "Does the person carry each of the marks as the statement means it, and no other?",
    STANCE: "Going by the statement alone, is the answer to the question yes?",
}
"""The three aspects that people review in CURE (sec. 1), in our words."""
COLUMNS = ("place", "statement", "marks", "scenario", "question")


def sheet_of(made: Sequence[BuiltSubgroupScenario]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    return checklist(COLUMNS, (row for each in made for row in _rows(each)))


def _rows(made: BuiltSubgroupScenario) -> Iterator[tuple[Checkpoint, tuple[str, ...]]]:
    statement = made.statement
    marks = "; ".join(f"{spaced(cue)}: {words}" for cue, words in made.cues.items())
    for aspect, question in ASPECTS.items():
        point = checkpoint(statement.id, aspect, made.label if aspect == STANCE else "yes")
        yield point, (place(statement.place).name, statement.words, marks, made.scenario.text, question)
