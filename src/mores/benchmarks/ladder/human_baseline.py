"""What people of a place answered on the rungs know, judge and explain: the row of people on the ladder.

The file is what a studio's project that checks norms exports: norm, rung, annotator and answer, the letters of the
statements held to be true (`a|d`), or yes, no or neutral; nothing, or `none`, is no right answer on any rung. On the
rung explain people are asked for the label alone, and stand beside a model's labels.
"""

import re
from pathlib import Path
from typing import Literal

from mores.benchmarks.benchmark import Setting
from mores.benchmarks.data_tables import DataRow, filled, one_of, read_table
from mores.benchmarks.ladder.pack_info import pack_of
from mores.benchmarks.shapes.human_baseline import AnnotatorVote
from mores.core.errors import InputError
from mores.norms.pack import PackNorm

PollableRung = Literal["know", "judge", "explain"]
"""Rungs on which people can be asked, each norm's first question."""
LETTERS = "abcd"
PEOPLE = "people"
"""Name of the option."""
COLUMNS = ("norm", "rung", "annotator", "answer")
_LETTERS = re.compile(r"[a-d](?:\|[a-d])*")


def people_of(setting: Setting, rung: PollableRung) -> tuple[tuple[AnnotatorVote, ...], dict[str, frozenset[str]]]:
    """What people answered on a rung, and what is true of each norm; nothing where the run names no file.

    Raises:
        InputError: the file cannot be read, an answer is malformed or given twice, or no norm of it is in the pack.
    """
    told = setting.protocol.settings.get(PEOPLE, "")
    if not told:
        return (), {}
    path = Path(told)
    if not path.is_file():
        raise InputError(f"--set {PEOPLE}={told}: no such file; expected a CSV with {', '.join(COLUMNS)}.")
    truths = {norm.norm.id: true for norm in pack_of(setting.data).norms if (true := _true(norm, rung))}
    votes = _votes(path, rung)
    if not any(vote.question in truths for vote in votes):
        example = min(truths, default="")
        raise InputError(f"{path}: no answers on the rung {rung} to a norm of the pack; expected such as '{example}'.")
    return votes, truths


def _true(entry: PackNorm, rung: PollableRung) -> frozenset[str]:
    match rung:
        case "know":
            return frozenset(
                letter for letter, option in zip(LETTERS, entry.know[0].options, strict=False) if option.true
            )
        case "judge":
            return frozenset({entry.judge[0].label})
        case "explain":
            return frozenset() if entry.explain is None else frozenset({entry.explain.label})


def _votes(path: Path, rung: PollableRung) -> tuple[AnnotatorVote, ...]:
    found: dict[tuple[str, str], AnnotatorVote] = {}
    for row in read_table(path, COLUMNS):
        if one_of(row, "rung", ("know", "judge", "explain")) != rung:
            continue
        vote = AnnotatorVote(filled(row, "norm").strip(), filled(row, "annotator").strip(), _answers(row, rung))
        if found.setdefault(vote[:2], vote) is not vote:
            raise InputError(f"{row.where}: annotator '{vote.annotator}' answers {vote.question} on {rung} twice.")
    return tuple(found.values())


def _answers(row: DataRow, rung: PollableRung) -> frozenset[str]:
    told = row.cells["answer"].strip().casefold()
    if told in {"", "none"}:
        return frozenset()
    if rung != "know":
        return frozenset({one_of(row, "answer", ("yes", "no", "neutral"))})
    if not _LETTERS.fullmatch(told):
        raise InputError(f"{row.where}: answer is '{row.cells['answer']}'; expected letters such as b, or a|c.")
    return frozenset(told.split("|"))


def describe_people(setting: Setting, rung: PollableRung) -> tuple[str, ...]:
    """How many people answered how much on a rung, in a sentence; nothing where the run names no file."""
    votes, truths = people_of(setting, rung)
    if not votes:
        return ()
    asked, people = {vote.question for vote in votes} & truths.keys(), {vote.annotator for vote in votes}
    told = (
        f"People's answers on the rung {rung}: {len(votes):,} by {len(people):,} annotators to {len(asked):,} of "
        f"{len(truths):,} norms."
    )
    return (told,)
