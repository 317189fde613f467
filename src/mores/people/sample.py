"""A sample of judged things for people to label: drawn, split and frozen before anybody labels.

things judged in some runs ─▶ one of each episode ─▶ strata ─▶ a work list without model and verdict, and beside it the
sealed record of what each row is. People never see the record; labels come back by the rows' ids.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from mores.core.codec import build, canonical, digest, encode, parse_json, read_text
from mores.core.errors import InputError
from mores.core.files import refuse_taken, write_new
from mores.core.seeds import Seed
from mores.core.vote import Thing
from mores.people.judged import Cell, Judged, judged_cells, judged_things
from mores.people.questions import Question, questions_of

RECORD, ROWS, SHEET = "sample.json", "worklist.jsonl", "worklist.csv"
Stratum = Literal["model", "place", "task"]
OnePer = Literal["episode", "item", "none"]
STRATA: tuple[Stratum, ...] = ("model", "place", "task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be drawn: how many, of which tasks (all, if none is named), how, and the names of the splits."""

    n: int
    tasks: tuple[str, ...] = ()
    stratify: tuple[Stratum, ...] = STRATA
    one_per: OnePer = "episode"
    splits: tuple[str, ...] = ("calibration", "test")
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One row of the sealed record: its id on the work list, and what it is; `play` is a hash of what is judged in."""

    id: str
    play: str
    model: str
    benchmark: str
    item: str
    sample: int
    task: str
    step: int | None = None
    norm: str = ""
    place: str = ""
    cluster: str = ""
    split: str = ""

    @property
    def thing(self) -> Thing:
        """What is judged."""
        return Thing(self.item, self.sample, self.task, self.step, self.norm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The sealed record; `sha` is a hash of all else, so that a split that was changed afterwards is seen."""

    wanted: Wanted
    population: int
    rows: tuple[Drawn, ...]
    sha: str = ""

    @property
    def hash(self) -> str:
        """The hash of all but itself."""
        return digest(replace(self, sha=""), length=16)

    def rows_of(self, cell: Cell) -> dict[Thing, Drawn]:
        """The rows about one cell by what is judged; an answer that has changed since is none of them."""
        own = [row for row in self.rows if (row.model, row.benchmark) == cell.name]
        plays = cell.plays({(row.item, row.sample) for row in own})
        return {row.thing: row for row in own if plays[row.item, row.sample] == row.play}


def draw_sample(runs: Sequence[Path], wanted: Wanted) -> tuple[Sample, tuple[Question, ...]]:
    """A sample of what was judged in some runs, and its questions, both in an order that tells nothing.

    Each task has its equal part of the rows where tasks are strata; within it every stratum has as many as its share
    of what was judged. Splits are drawn by cluster within strata, so that no cluster is in two.

    Raises:
        InputError: there is nothing to draw, too little of it, or a task that nobody judged.
    """
    cells = judged_cells(runs)
    things = [each for cell in cells for each in judged_things(cell) if each.prompt]
    known = sorted({each.thing.task for each in things})
    strange = sorted(set(wanted.tasks) - set(known))
    if strange:
        raise InputError(f"--task {strange[0]}: nobody judged it; tasks are {', '.join(known)}.")
    kept = [each for each in things if not wanted.tasks or each.thing.task in wanted.tasks]
    seed = Seed(f"mores-sample-{wanted.seed}")
    chosen = _chosen(_one_per(kept, wanted.one_per, seed), wanted, seed)
    splits = _splits(chosen, wanted, seed)
    drawn = [_drawn(each, splits[_group(each)], play) for each, play in _with_plays(cells, chosen)]
    rows = tuple(sorted(drawn, key=lambda row: row.id))
    sample = Sample(wanted=wanted, population=len(kept), rows=rows)
    return replace(sample, sha=sample.hash), _questions(cells, chosen, drawn)


def list_things(things: Sequence[Judged]) -> tuple[Sample, tuple[Question, ...]]:
    """All of some judged things as a sample of its own, without splits, and their questions: a list to work off."""
    cells = list({each.cell.folder: each.cell for each in things}.values())
    chosen = [each for cell in cells for each in things if each.cell.folder == cell.folder]
    drawn = [_drawn(each, "", play) for each, play in _with_plays(cells, chosen)]
    rows = tuple(sorted(drawn, key=lambda row: row.id))
    sample = Sample(wanted=Wanted(n=len(rows), one_per="none", splits=()), population=len(rows), rows=rows)
    return replace(sample, sha=sample.hash), _questions(cells, chosen, drawn)


def _one_per(things: list[Judged], one_per: OnePer, seed: Seed) -> list[Judged]:
    """One thing of each episode, whichever models lived it, or of each item of a model; by task, at random."""
    if one_per == "none":
        return things
    groups: dict[tuple[str, ...], list[Judged]] = defaultdict(list)
    for each in things:
        unit = ("", each.cluster) if one_per == "episode" else (each.cell.model, each.thing.item)
        groups[(each.cell.benchmark, each.thing.task, *unit)].append(each)
    return [min(group, key=lambda each: _lot(each, seed)) for group in groups.values()]


def _lot(each: Judged, seed: Seed) -> float:
    return seed.child("lot", each.cell.model, each.cell.benchmark, *(str(part) for part in each.thing)).uniform()


def _group(each: Judged) -> tuple[str, str]:
    """What goes whole into one split: a cluster of a benchmark, whichever models it was put to."""
    return each.cell.benchmark, each.cluster


def _chosen(things: list[Judged], wanted: Wanted, seed: Seed) -> list[Judged]:
    if wanted.n < 1 or wanted.n > len(things):
        more = ", or --one-per item or none, which takes more of an episode" if wanted.one_per == "episode" else ""
        raise InputError(
            f"--n {wanted.n}: one per {wanted.one_per} there are {len(things)} to draw; "
            f"expected 1 to {len(things)}{more}."
        )
    by_task: dict[str, list[Judged]] = defaultdict(list)
    for each in things:
        by_task[f"{each.cell.benchmark}/{each.thing.task}" if "task" in wanted.stratify else ""].append(each)
    chosen: list[Judged] = []
    left = wanted.n
    for number, (_, members) in enumerate(sorted(by_task.items(), key=lambda pair: (len(pair[1]), pair[0]))):
        share = min(len(members), left // (len(by_task) - number))
        chosen += _within(members, share, wanted, seed)
        left -= share
    return chosen


def _within(members: list[Judged], count: int, wanted: Wanted, seed: Seed) -> list[Judged]:
    """So many, each stratum by its share: those at the earliest relative places of their strata's shuffled lists."""
    strata: dict[tuple[str, ...], list[Judged]] = defaultdict(list)
    for each in members:
        strata[_stratum(each, wanted)].append(each)
    ranked: list[tuple[float, int, Judged]] = []
    for name, group in strata.items():
        offset = seed.child("stratum", *name).uniform()
        shuffled = sorted(group, key=lambda each: _lot(each, seed))
        ranked += [((rank + offset) / len(group), len(ranked) + rank, each) for rank, each in enumerate(shuffled)]
    return [each for *_, each in sorted(ranked, key=lambda entry: entry[:2])[:count]]


def _stratum(each: Judged, wanted: Wanted) -> tuple[str, ...]:
    values = {"model": each.cell.model, "place": each.place, "task": each.thing.task}
    return tuple(values[name] for name in wanted.stratify)


def _splits(chosen: list[Judged], wanted: Wanted, seed: Seed) -> dict[tuple[str, str], str]:
    """The split of each cluster: the one with fewest clusters of its tasks, else in turn within strata, shuffled."""
    first: dict[tuple[str, str], tuple[str, ...]] = {}
    tasks: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in chosen:
        first.setdefault(_group(each), _stratum(each, wanted))
        tasks[_group(each)].add(each.thing.task)
    order = sorted(first, key=lambda group: (first[group], seed.child("split", *group).uniform()))
    names = wanted.splits or ("",)
    start = seed.child("split").below(len(names))
    held: Counter[tuple[str, str, str]] = Counter()
    found = {}
    for number, group in enumerate(order):
        turn = [names[(start + number + place) % len(names)] for place in range(len(names))]
        found[group] = min(turn, key=lambda name: sum(held[name, group[0], task] for task in tasks[group]))
        held.update((found[group], group[0], task) for task in tasks[group])
    return found


def _with_plays(cells: Sequence[Cell], chosen: Sequence[Judged]) -> list[tuple[Judged, str]]:
    """Each thing with the hash of its play."""
    plays = {
        cell.folder: cell.plays({(e.thing.item, e.thing.sample) for e in chosen if e.cell is cell}) for cell in cells
    }
    return [(each, plays[each.cell.folder][each.thing.item, each.thing.sample]) for each in chosen]


def _drawn(each: Judged, split: str, play: str) -> Drawn:
    thing = each.thing
    return Drawn(
        id=digest([play, each.cell.model, each.cell.benchmark, list(thing)]),
        play=play,
        model=each.cell.model,
        benchmark=each.cell.benchmark,
        item=thing.item,
        sample=thing.sample,
        task=thing.task,
        step=thing.step,
        norm=thing.norm,
        place=each.place,
        cluster=each.cluster,
        split=split,
    )


def _questions(cells: Sequence[Cell], chosen: Sequence[Judged], drawn: Sequence[Drawn]) -> tuple[Question, ...]:
    """The words of each row, in the order of their ids."""
    by_id: dict[str, Question] = {}
    for cell in cells:
        ids = {each.thing: row.id for each, row in zip(chosen, drawn, strict=True) if each.cell is cell}
        asked = questions_of(cell.run, cell.folder, {thing.item for thing in ids}) if ids else ()
        by_id.update({ids[question.thing]: question for question in asked if question.thing in ids})
    return tuple(by_id[row_id] for row_id in sorted(by_id))


def write_sample(folder: Path, sample: Sample, questions: Sequence[Question]) -> None:
    """Write the work list for people (as JSON Lines and as a sheet) and the sealed record into a new folder.

    Raises:
        InputError: the folder has a sample already.
    """
    if (folder / RECORD).exists():
        raise InputError(f"--out {folder}: it holds a sample already, which is not overwritten; name a new folder.")
    for name in (ROWS, SHEET):
        refuse_taken(folder / name)
    rows = [_row(drawn, question) for drawn, question in zip(sample.rows, questions, strict=True)]
    write_new(folder / ROWS, b"".join(encode(row) + b"\n" for row in rows))
    write_new(folder / SHEET, _sheet(rows))
    write_new(folder / RECORD, canonical(sample) + b"\n")


def _row(drawn: Drawn, question: Question) -> dict[str, object]:
    """What people get: neither the model, nor a verdict, nor the split."""
    return {
        "id": drawn.id,
        "task": drawn.task,
        "place": drawn.place,
        "words": question.words,
        "options": list(question.options) or None,
    }


def _sheet(rows: Sequence[dict[str, object]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("id", "task", "place", "words", "options", "annotator", "label", "note"))
    for row in rows:
        options = row["options"]
        listed = " | ".join(str(option) for option in options) if isinstance(options, list) else "0 to 1"
        cells = (row["id"], row["task"], row["place"], row["words"], listed, "", "", "")
        writer.writerow([plain_cell(str(cell)) for cell in cells])
    return out.getvalue().encode("utf-8-sig")


def plain_cell(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell[:1] in "=+-@\t\r" and cell[:1] else cell


def read_sample(path: Path) -> Sample:
    """The sealed record of a sample, from its folder or its file.

    Raises:
        InputError: it is none, or was changed after it was frozen.
    """
    file = path / RECORD if path.is_dir() else path
    sample = build(Sample, parse_json(read_text(file), where=str(file)), where=str(file))
    if sample.sha != sample.hash:
        raise InputError(
            f"{file}: it was changed after it was frozen (hash {sample.hash}, expected {sample.sha}); draw anew."
        )
    return sample
