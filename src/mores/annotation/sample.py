"""A sample of judged things for people to label: drawn, split and frozen before anybody labels.

things judged in some runs ─▶ one of each episode ─▶ strata ─▶ a work list without model and verdict, and beside it the
frozen record of what each row is, with the chance by which it was drawn. People never see the record; labels come back
by the rows' ids.

Stratified by verdict, an episode first draws one of the words that judges said in it, all alike, and then a thing with
this word; each word has its equal part of a task's rows. So rare violations come in, each with its own chance.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar, assert_never

from msgspec import Struct
from msgspec.structs import replace

from mores.annotation.judged_items import (
    JudgedEvaluation,
    JudgedItem,
    LabelQuestion,
    judged_evaluations,
    judged_things,
    of_tasks,
    questions_of,
)
from mores.core.codec import build, canonical, digest, encode, encode_lines, parse_json, read_text
from mores.core.codes import row_code
from mores.core.errors import InputError
from mores.core.estimate import pools
from mores.core.files import refuse_taken, write_new
from mores.core.seeds import Seed
from mores.core.table import plain_cell, sheet
from mores.core.verdict import JudgedUnit

RECORD, ROWS, SHEET = "sample.json", "worklist.jsonl", "worklist.csv"
COLUMNS = ("id", "code", "task", "place", "words", "options", "annotator", "label", "note")
"""`code` says the same as `id`, in which tools that people label with write numbers of their own."""
Stratum = Literal["model", "place", "task", "verdict"]
OnePer = Literal["episode", "item", "none"]
STRATA: tuple[Stratum, ...] = ("model", "place", "task")
"""Those that are strata unless others are named."""
_Kind = TypeVar("_Kind")
_Key = TypeVar("_Key")


class SampleSpec(Struct, frozen=True, kw_only=True):
    """Specification of a sample: number of rows, tasks (all, if none is named), strata, and the names of the splits."""

    n: int
    tasks: tuple[str, ...] = ()
    stratify: tuple[Stratum, ...] = STRATA
    one_per: OnePer = "episode"
    splits: tuple[str, ...] = ("calibration", "test")
    seed: int = 0


class SampleRow(Struct, frozen=True, kw_only=True):
    """One row of the sealed record: its id on the work list, and what it is; `play` is a hash of what is judged in.

    `chance` is that of this very thing to be drawn, before any die was thrown; None where it was picked.
    """

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
    chance: float | None = None

    @property
    def thing(self) -> JudgedUnit:
        """Unit that is judged."""
        return JudgedUnit(self.item, self.sample, self.task, self.step, self.norm)


class SampleCandidate(NamedTuple):
    """One thing of a group, its group's random position, and the chance that it had; None where it was picked."""

    thing: JudgedItem
    position: float
    chance: float | None


class Sample(Struct, frozen=True, kw_only=True):
    """The sealed record; `sha` is a hash of all else, so that a split that was changed afterwards is seen."""

    wanted: SampleSpec
    population: int
    rows: tuple[SampleRow, ...]
    sha: str = ""

    @property
    def hash(self) -> str:
        """The hash of all but itself; of a list that was picked, which has no chances, without their column."""
        if self.chances:
            return digest(replace(self, sha=""), length=16)
        plain = parse_json(canonical(replace(self, sha="")), where=RECORD)
        # A field that was added later is taken out again, so that the hash of an older record still holds.
        for row in plain["rows"]:
            del row["chance"]
        return hashlib.sha256(encode(plain)).hexdigest()[:16]

    @property
    def chances(self) -> bool:
        """True where each row says by what chance it was drawn."""
        return any(row.chance is not None for row in self.rows)

    @property
    def evaluations(self) -> frozenset[tuple[str, str]]:
        """Models and benchmarks of which there are rows."""
        return frozenset((row.model, row.benchmark) for row in self.rows)

    def rows_of(self, evaluation: JudgedEvaluation) -> dict[JudgedUnit, SampleRow]:
        """The rows about one evaluation by what is judged; an answer that has changed since is none of them."""
        own = [row for row in self.rows if (row.model, row.benchmark) == evaluation.name]
        plays = evaluation.plays({(row.item, row.sample) for row in own})
        return {row.thing: row for row in own if plays[row.item, row.sample] == row.play}


def draw_sample(runs: Sequence[Path], wanted: SampleSpec) -> tuple[Sample, tuple[LabelQuestion, ...]]:
    """A sample of what was judged in some runs, and its questions, both in an order that tells nothing.

    Each task has its equal part of the rows where tasks are strata, and each verdict within it where verdicts are;
    within these every stratum has as many as its share of what was judged, and every episode the same chance. Splits
    are drawn by cluster within strata, so that no cluster is in two.

    Raises:
        InputError: there is nothing to draw, too little of it, or a task that nobody judged.
    """
    evaluations = judged_evaluations(runs)
    things = [each for evaluation in evaluations for each in judged_things(evaluation) if each.prompt]
    kept = of_tasks(things, wanted.tasks)
    candidates = draw_things(kept, wanted)
    splits = _splits([each.thing for each in candidates], wanted, _seed(wanted))
    return _frozen(candidates, splits, wanted, len(kept))


def draw_things(things: Sequence[JudgedItem], wanted: SampleSpec) -> tuple[SampleCandidate, ...]:
    """The things of a sample, each with the chance that it had to be drawn.

    Raises:
        InputError: there is too little to draw.
    """
    seed = _seed(wanted)
    return tuple(_chosen(_one_per(things, wanted, seed), wanted, seed))


def _seed(wanted: SampleSpec) -> Seed:
    return Seed(f"mores-sample-{wanted.seed}")


def list_things(things: Sequence[JudgedItem]) -> tuple[Sample, tuple[LabelQuestion, ...]]:
    """All of some judged things as a sample of its own, without splits, and their questions: a list to work off."""
    wanted = SampleSpec(n=len(things), one_per="none", splits=())
    return _frozen([SampleCandidate(each, 0.0, None) for each in things], {}, wanted, len(things))


def _frozen(
    candidates: Sequence[SampleCandidate], splits: Mapping[tuple[str, str], str], wanted: SampleSpec, population: int
) -> tuple[Sample, tuple[LabelQuestion, ...]]:
    """The sealed record of what was chosen, with a hash of each play, and the words of each row; by the rows' ids."""
    found: dict[str, tuple[SampleRow, LabelQuestion]] = {}
    for evaluation in {each.thing.evaluation.folder: each.thing.evaluation for each in candidates}.values():
        own = {each.thing.thing: each for each in candidates if each.thing.evaluation.folder == evaluation.folder}
        plays = evaluation.plays({(thing.item, thing.sample) for thing in own})
        items = {thing.item for thing in own}
        asked = {each.thing: each for each in questions_of(evaluation.run, evaluation.folder, items)}
        for thing, candidate in own.items():
            drawn = _drawn(candidate, splits.get(_group(candidate.thing), ""), plays[thing.item, thing.sample])
            found[drawn.id] = drawn, asked[thing]
    rows, questions = zip(*(found[name] for name in sorted(found)), strict=True)
    sample = Sample(wanted=wanted, population=population, rows=rows)
    return replace(sample, sha=sample.hash), questions


def _one_per(things: Sequence[JudgedItem], wanted: SampleSpec, seed: Seed) -> list[SampleCandidate]:
    """One thing of each episode, whichever models lived it, or of each item of a model; by task, at random."""
    groups = grouped(things, lambda each: (each.evaluation.benchmark, each.thing.task, *unit_of(each, wanted.one_per)))
    found = []
    for name, group in groups.items():
        # One word first, then one thing with it: a rare verdict is as likely as a frequent one.
        words = sorted(grouped(group, lambda each: word_of(each, wanted)).items())
        own = words[seed.child("word", *name).below(len(words))][1]
        # The thing and its group have seeds of their own: with one for both, the least of many draws would bring long
        # episodes in first (.47 of those with many things and .20 of those with one, where .32 is meant).
        thing = min(own, key=lambda each: seed.child("within", *unit_of(each, "none")).uniform())
        found.append(SampleCandidate(thing, seed.child("group", *name).uniform(), 1 / (len(words) * len(own))))
    return found


def grouped(things: Iterable[_Kind], key: Callable[[_Kind], _Key]) -> dict[_Key, list[_Kind]]:
    """Things by a key, in their order."""
    found: dict[_Key, list[_Kind]] = defaultdict(list)
    for each in things:
        found[key(each)].append(each)
    return dict(found)


def word_of(each: JudgedItem, wanted: SampleSpec) -> str:
    """Verdict of judges on a thing, where that is a stratum; nothing where they gave points, no word, or tie."""
    return each.label or "" if "verdict" in wanted.stratify else ""


def unit_of(each: JudgedItem, one_per: OnePer) -> tuple[str, ...]:
    """Unit of which one thing is drawn."""
    match one_per:
        case "episode":
            return ("", each.cluster)
        case "item":
            return each.evaluation.model, each.thing.item
        case "none":
            return (each.evaluation.model, each.evaluation.benchmark, *(str(part) for part in each.thing))
        case _:  # pragma: no cover - a new unit is a type error
            assert_never(one_per)


def _group(each: JudgedItem) -> tuple[str, str]:
    """Unit that goes whole into one split: a cluster of a benchmark, whichever models it was put to."""
    return each.evaluation.benchmark, each.cluster


def _chosen(candidates: list[SampleCandidate], wanted: SampleSpec, seed: Seed) -> list[SampleCandidate]:
    """So many, each task its part; the chance of each is now that of its group times that within it."""
    most = len(candidates)
    if not 1 <= wanted.n <= most:
        more = ", or --one-per item or none, which takes more of an episode" if wanted.one_per == "episode" else ""
        raise InputError(
            f"--n {wanted.n}: one per {wanted.one_per} there are {most} to draw; expected 1 to {most}{more}."
        )
    chosen: list[SampleCandidate] = []
    for task, members, share in _parts(candidates, wanted.n, lambda each: _task(each, wanted)):
        for word, own, count in _parts(members, share, lambda each: word_of(each.thing, wanted)):
            if word and not count:
                raise InputError(
                    f"--n {wanted.n}: no row would be left for '{word}' of {task or 'all tasks'}; expected more rows "
                    "than tasks have verdicts, or --stratify without verdict."
                )
            order = _order(_strata(own, wanted), seed.child("order", task, *filter(None, (word,))))
            chosen += [each._replace(chance=(each.chance or 1.0) * count / len(own)) for each in order[:count]]
    return chosen


def _parts(
    candidates: list[SampleCandidate], count: int, key: Callable[[SampleCandidate], str]
) -> Iterator[tuple[str, list[SampleCandidate], int]]:
    """Each group and how many of it are drawn: as many of each, and all of one that has fewer."""
    # The smallest first: what they cannot fill is left for the larger ones.
    groups = sorted(grouped(candidates, key).items(), key=lambda pair: (len(pair[1]), pair[0]))
    for number, (name, members) in enumerate(groups):
        share = min(len(members), count // (len(groups) - number))
        yield name, members, share
        count -= share


def _task(candidate: SampleCandidate, wanted: SampleSpec) -> str:
    return f"{candidate.thing.evaluation.benchmark}/{candidate.thing.thing.task}" if "task" in wanted.stratify else ""


def _strata(members: list[SampleCandidate], wanted: SampleSpec) -> list[list[SampleCandidate]]:
    """The strata in the order of their names, each shuffled."""
    strata = grouped(members, lambda each: _stratum(each.thing, wanted))
    return [sorted(strata[name], key=lambda each: each.position) for name in sorted(strata)]


def _order(strata: list[list[SampleCandidate]], seed: Seed) -> list[SampleCandidate]:
    """All of them in an order of which any beginning holds about each stratum's share, and each thing as likely.

    Strata are halved again and again. Of the first n of two halves the one has floor(n · its share + u) for one u that
    is even on [0, 1): that is its share on average, never off by one, and a longer beginning holds a shorter one.
    """
    if len(strata) == 1:
        return strata[0]
    middle = len(strata) // 2
    one = _order(strata[:middle], seed.child("left"))
    other = _order(strata[middle:], seed.child("right"))
    total, start = len(one) + len(other), seed.uniform()
    many = [min(int(n * len(one) / total + start), len(one)) for n in range(total + 1)]
    turns = ((one, many[n]) if many[n + 1] > many[n] else (other, n - many[n]) for n in range(total))
    return [side[place] for side, place in turns]


def _stratum(each: JudgedItem, wanted: SampleSpec) -> tuple[str, ...]:
    values = {"model": each.evaluation.model, "place": each.place, "task": each.thing.task}
    values["verdict"] = word_of(each, wanted)
    return tuple(values[name] for name in wanted.stratify)


def _splits(chosen: list[JudgedItem], wanted: SampleSpec, seed: Seed) -> dict[tuple[str, str], str]:
    """The split of each cluster: the one with fewest clusters of its tasks, else in turn within strata, shuffled.

    Clusters that share a thing, such as a norm, go the same way.
    """
    first: dict[tuple[str, str], tuple[str, ...]] = {}
    tasks: dict[tuple[str, str], set[str]] = defaultdict(set)
    pool = pools(each.cluster for each in chosen)
    home = {_group(each): (each.evaluation.benchmark, pool[each.cluster]) for each in chosen}
    for each in chosen:
        first.setdefault(home[_group(each)], _stratum(each, wanted))
        tasks[home[_group(each)]].add(each.thing.task)
    order = sorted(first, key=lambda group: (first[group], seed.child("split", *group).uniform()))
    names = wanted.splits or ("",)
    # Where turns begin is drawn: else the first split would get every odd one.
    start = seed.child("split").below(len(names))
    held: Counter[tuple[str, str, str]] = Counter()
    found = {}
    for number, group in enumerate(order):
        turn = [names[(start + number + place) % len(names)] for place in range(len(names))]
        found[group] = min(turn, key=lambda name: sum(held[name, group[0], task] for task in tasks[group]))
        held.update((found[group], group[0], task) for task in tasks[group])
    return {group: found[own] for group, own in home.items()}


def _drawn(candidate: SampleCandidate, split: str, play: str) -> SampleRow:
    each, evaluation = candidate.thing, candidate.thing.evaluation
    return SampleRow(
        id=row_code([play, evaluation.model, evaluation.benchmark, list(each.thing)]),
        play=play,
        model=evaluation.model,
        benchmark=evaluation.benchmark,
        **each.thing._asdict(),
        place=each.place,
        cluster=each.cluster,
        split=split,
        chance=candidate.chance,
    )


def write_sample(folder: Path, sample: Sample, questions: Sequence[LabelQuestion]) -> None:
    """Write the work list for people (as JSON Lines and as a sheet) and the sealed record into a new folder.

    Raises:
        InputError: the folder has a sample already.
    """
    if (folder / RECORD).exists():
        raise InputError(f"--out {folder}: it already holds a sample, which is not overwritten; name a new folder.")
    for name in (ROWS, SHEET):
        refuse_taken(folder / name)
    asked = list(zip(sample.rows, questions, strict=True))
    write_new(folder / ROWS, encode_lines(_row(*each) for each in asked))
    write_new(folder / SHEET, sheet(COLUMNS, (_cells(*each) for each in asked)))
    write_new(folder / RECORD, canonical(sample) + b"\n")


def _row(drawn: SampleRow, question: LabelQuestion) -> dict[str, object]:
    """Row for people: neither the model, nor a verdict, nor the split."""
    return {
        "id": drawn.id,
        "code": drawn.id,
        "task": drawn.task,
        "place": drawn.place,
        "words": question.words,
        "options": list(question.options) or None,
    }


def _cells(drawn: SampleRow, question: LabelQuestion) -> list[str]:
    listed = " | ".join(question.options) or "0 to 1"
    return [
        plain_cell(cell) for cell in (drawn.id, drawn.id, drawn.task, drawn.place, question.words, listed, "", "", "")
    ]


def read_sample(path: Path) -> Sample:
    """The sealed record of a sample, from its folder or its file.

    Raises:
        InputError: it is none, was changed after it was frozen, or does not say by what chance its rows were drawn.
    """
    file = path / RECORD if path.is_dir() else path
    sample = build(Sample, parse_json(read_text(file), where=str(file)), where=str(file))
    if sample.sha != sample.hash:
        raise InputError(
            f"{file}: it was changed after it was frozen (hash {sample.hash}, expected {sample.sha}); draw anew."
        )
    if sample.wanted.one_per != "none" and not sample.chances:
        raise InputError(
            f"{file}: its rows do not say by what chance they were drawn, as those of older versions; expected a "
            "chance for each row: draw a new sample with mores judge sample."
        )
    return sample
