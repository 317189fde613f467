"""All items of some runs as data of the page: which they are, how each answer went, and all words about them.

results ─▶ items, as many as a page holds ─▶ answers of each model ─▶ index ─▶ words, wrong answers' first
"""

from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

import numpy as np
from msgspec import Struct, field

from mores.analysis.outcomes import unstable_votes
from mores.analysis.results import Result, Results
from mores.benchmarks.benchmark import Traced
from mores.benchmarks.catalogue import load, names
from mores.blocks import formatting as words
from mores.core.item import ItemMetadata
from mores.core.seeds import Seed
from mores.core.verdict import VerdictLine
from mores.reports.browse.answers import KINDS, Kind, Kinds, found_of, wanted_of
from mores.reports.browse.changes import CHANGES, UNSTABLE, Played, change_of, went_two_ways, worth_of
from mores.reports.browse.lines import DayStart, Line, Told, first_put, lines_of, told_of
from mores.reports.browse.packing import Codes, Parts, packed
from mores.reports.browse.titles import titles_of
from mores.runs.stored import StoredPlays
from mores.stats.rng import generator

MOST = 120_000
"""Answers that a page holds; of more, items are drawn, for all models the same."""
ROOM = 5_000_000
"""Characters of words, compressed and in base64, that a page holds."""
LONGEST = 20_000
"""Characters of one message that a page shows; the rest stays in the transcripts."""
LONG_ENOUGH = 1_200
"""Characters of a question that its title is looked for in."""
DICE = Seed("report")
ANCHOR = "browse"
_NOT_WRONG: frozenset[Kind] = frozenset({"right", "points"})
OPEN = -1
"""Where nothing says how it went."""


class Browser(Struct, frozen=True, kw_only=True):
    """What the page holds of items: an index and words as packed text, and how many there are of how many."""

    index: str
    words: tuple[str, ...]
    shown: int
    total: int
    worded: int


class _Item(Struct):
    """One item: what it is about, and its plays by result and sample with all verdicts of each."""

    benchmark: str
    about: ItemMetadata
    plays: dict[tuple[int, int], list[VerdictLine]] = field(default_factory=dict)
    kinds: dict[tuple[int, int], dict[str, Kind]] = field(default_factory=dict)
    question: str = ""

    @property
    def all_right(self) -> bool:
        """Whether no answer went wrong in any way."""
        return all(_NOT_WRONG.issuperset(kinds.values()) for kinds in self.kinds.values())

    def played(self, result: int) -> list[Played]:
        """Its plays in one result."""
        return [(verdicts, self.kinds[key]) for key, verdicts in self.plays.items() if key[0] == result]


def units_link(result: Result, kind: str = "", value: str = "", change: str = "") -> str:
    """The address within a page of the items behind one figure: a result's, of one group, that changed in one way."""
    asked = {"benchmark": result.benchmark, "model": result.label}
    group = {} if not kind else {"place": value} if kind == "place" else {"group": f"{kind}:{value}"}
    return f"#{ANCHOR}?{urlencode(asked | group | ({'change': change} if change else {}))}"


def browser(results: Results, pairs: Sequence[tuple[Result, Result]] = ()) -> Browser | None:
    """All items with their answers, or a draw of them where they are many; None where no answer was judged yet.

    Of `pairs` of results it is told which items went another way in the second; their words come first.
    """
    evaluations = [each for each in results.evaluations if not each.partial]
    chosen, total = _chosen(evaluations)
    items = [item for name in chosen for item in _items(evaluations, name, chosen[name])]
    if not items:
        return None
    changes = [change for pair in pairs for change in _changes(evaluations, items, pair)]
    parts = Parts(ROOM)
    worded = _put_words(evaluations, items, parts, first={number for number, *_ in changes})
    found = tuple(parts)
    index = packed(_index(evaluations, items) | ({"changes": {"kinds": CHANGES, "rows": changes}} if pairs else {}))
    return Browser(index=index, words=found, shown=len(items), total=total, worded=worded)


def _chosen(evaluations: Sequence[Result]) -> tuple[dict[str, dict[str, int]], int]:
    """The items of each benchmark by name, in the order of the data, and how many there are in all."""
    found: dict[str, dict[str, None]] = {}
    answers = 0
    for each in evaluations:
        table = each.verdict_table
        answers += sum(len(table.frame(task).item) for task in each.headline_tasks[:1])
        found.setdefault(each.benchmark, {}).update((about.item, None) for about in table.abouts)
    share = min(1.0, MOST / max(answers, 1))
    kept = {name: _drawn(name, list(items), share) for name, items in found.items()}
    return kept, sum(map(len, found.values()))


def _drawn(benchmark: str, items: list[str], share: float) -> dict[str, int]:
    count = max(1, int(len(items) * share)) if items else 0
    if count < len(items):
        drawn = generator(DICE.child("items", benchmark)).choice(len(items), count, replace=False)
        items = [items[number] for number in np.sort(drawn)]
    return {item: number for number, item in enumerate(items)}


def _items(evaluations: Sequence[Result], benchmark: str, chosen: dict[str, int]) -> list[_Item]:
    found: dict[str, _Item] = {}
    for number, each in enumerate(evaluations):
        if each.benchmark != benchmark:
            continue
        kinds = Kinds(each)
        for about, sample, verdicts in _by_play(each, chosen):
            held = found.get(about.item)
            if held is None:
                held = found[about.item] = _Item(benchmark, about)
            held.plays[number, sample] = verdicts
            held.kinds[number, sample] = kinds.of(verdicts)
    return sorted(found.values(), key=lambda item: chosen[item.about.item])


def _by_play(result: Result, chosen: Container[str]) -> Iterator[tuple[ItemMetadata, int, list[VerdictLine]]]:
    """All verdicts on each play of some items, with what the first of them is about."""
    first: ItemMetadata | None = None
    play: tuple[str, int] | None = None
    verdicts: list[VerdictLine] = []
    for about, line in result.verdict_lines():
        if (about.item, line.sample) != play:
            if first is not None and play is not None and first.item in chosen:
                yield first, play[1], verdicts
            first, play, verdicts = about, (about.item, line.sample), []
        verdicts.append(line)
    if first is not None and play is not None and first.item in chosen:
        yield first, play[1], verdicts


def _changes(
    evaluations: Sequence[Result], items: Sequence[_Item], pair: tuple[Result, Result]
) -> Iterator[tuple[int, int, int]]:
    """An item, a result of the pair, and the number of its change: both results have it where they differ."""
    a, b = pair
    one, other = evaluations.index(a), evaluations.index(b)
    task, disputed = a.headline_tasks[0], {one: unstable_votes(a).items, other: unstable_votes(b).items}
    for number, item in enumerate(items):
        plays = {result: item.played(result) for result in (one, other)}
        change = change_of(worth_of(plays[one], task), worth_of(plays[other], task))
        for result, own in plays.items():
            if own and change:
                yield number, result, CHANGES.index(change)
            if own and (item.about.item in disputed[result] or went_two_ways(own, task)):
                yield number, result, CHANGES.index(UNSTABLE)


def _put_words(evaluations: Sequence[Result], items: Sequence[_Item], parts: Parts, first: set[int]) -> int:
    """Fill the parts, `first` these items, then those of which an answer is not right; how many have words there."""
    order = sorted(range(len(items)), key=lambda number: (number not in first, items[number].all_right))
    with ExitStack() as open_:
        stored = [open_.enter_context(closing(StoredPlays(each.folder))) for each in evaluations]
        for count, number in enumerate(order):
            if parts.full:
                return count
            _put_item(items[number], number, evaluations, stored, parts)
    return len(items)


def _put_item(
    item: _Item, number: int, evaluations: Sequence[Result], stored: Sequence[StoredPlays], parts: Parts
) -> None:
    plays, size, codes = [], 0, parts.codes
    for (result, sample), verdicts in item.plays.items():
        events = told_of(stored[result], (item.about.item, sample))
        lines = tuple(lines_of(events))
        item.question = item.question or _question(lines, events)[:LONG_ENOUGH]
        said = [[codes[speaker], codes[_shown(text)], codes[prompt]] for speaker, text, _, prompt in lines]
        tasks, kinds = evaluations[result].headline_tasks, item.kinds[result, sample]
        judged = [_remark(parts, each, kinds if each.task in tasks[:1] else {}) for each in verdicts]
        plays.append([result, sample, said, judged, _is_day(events)])
        size += sum(len(line.text) for line in lines)
    parts.add(number, plays, size)


def _remark(parts: Parts, verdict: VerdictLine, kinds: dict[str, Kind]) -> list[int]:
    """What a page says of a verdict; of equal ones it is worked out once a part."""
    part = kinds.get(verdict.about.part) if len(kinds) > 1 else None
    if verdict.ballot is not None:
        return _worked_out(parts.codes, verdict, part)
    told = (
        verdict.task, verdict.about.part, verdict.verdict, verdict.points, verdict.label, verdict.gold,
        verdict.reason, verdict.cause, verdict.raw, part,
    )  # fmt: skip
    found = parts.remarks.get(told)
    if found is None:
        found = parts.remarks[told] = _worked_out(parts.codes, verdict, part)
    return found


def _worked_out(codes: Codes, verdict: VerdictLine, part: Kind | None) -> list[int]:
    """Task, part, what was found, what was wanted, why, how the answer went where it is one of several, and if good."""
    why = verdict.reason if verdict.verdict == "graded" else verdict.raw
    found, wanted = found_of(verdict), wanted_of(verdict)
    told = (verdict.task, verdict.about.part, found, wanted or "", why)
    good = OPEN if wanted is None or verdict.verdict != "graded" else int(verdict.label == wanted)
    return [*(codes[_shown(word)] for word in told), OPEN if part is None else KINDS.index(part), good]


def _shown(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … ({len(text) - LONGEST:,} more characters are in transcripts.jsonl)"


def _question(lines: Sequence[Line], events: Sequence[Told]) -> str:
    """What an item asks; of a day in town what it is for."""
    return first_put(lines) or next((event.goal for event in events[:1] if isinstance(event, DayStart)), "")


def _is_day(events: Sequence[Told]) -> bool:
    return bool(events) and isinstance(events[0], DayStart)


def _index(evaluations: Sequence[Result], items: Sequence[_Item]) -> dict[str, Any]:
    places, groups, units, rests = Codes(), Codes(), Codes(), _rests_on(evaluations)
    answers = [
        (number, result, sample, KINDS.index(kind))
        for number, item in enumerate(items)
        for (result, sample), kinds in item.kinds.items()
        for kind in kinds.values()
    ]
    columns = {
        "benchmark": [item.benchmark for item in items],
        "id": [item.about.item for item in items],
        "title": [
            title
            for _, of in groupby(items, key=lambda item: item.benchmark)
            for title in titles_of([item.question for item in of])
        ],
        "place": [places[item.about.place or ""] for item in items],
        "unit": [units[item.about.unit] for item in items],
        "groups": [[groups[f"{kind}:{value}"] for kind, value in item.about.groups.items()] for item in items],
    }
    return {
        "results": [_result(each) for each in evaluations],
        "kinds": KINDS,
        "items": columns,
        "answers": [list(column) for column in zip(*answers, strict=True)] or [[], [], [], []],
        "places": [[code, words.group_name("place", code) if code else ""] for code in places.words],
        "groups": [[told, words.group_name(*told.split(":", 1)), words.kind_name(told.split(":", 1)[0])]
                   for told in groups.words],
        "units": units.words,
        "rests": [rests.get(unit, "") for unit in units.words],
    }  # fmt: skip


def _rests_on(evaluations: Sequence[Result]) -> dict[str, str]:
    """What units rest on, as far as their benchmarks say."""
    found: dict[str, str] = {}
    for each in evaluations:
        benchmark: object = load(each.benchmark) if each.benchmark in names() else None
        if isinstance(benchmark, Traced):
            found |= benchmark.rests_on(each.provenance.data)
    return found


def _result(result: Result) -> dict[str, Any]:
    return {
        "benchmark": result.benchmark,
        "title": result.card.title if result.card else result.benchmark,
        "model": result.label,
        "simulated": result.simulated,
        "unit": result.counted.removesuffix("s"),
        "judges": sorted(set(result.judges.values())),
        "folder": str(result.folder),
        "run": str(result.run),
        "data": sorted(result.provenance.data),
        "source": result.card.source if result.card else "",
    }
