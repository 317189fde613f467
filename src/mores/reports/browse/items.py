"""All items of some runs as data of the page: which they are, how each answer went, and all words about them.

results ─▶ items, as many as a page holds ─▶ answers of each model ─▶ index ─▶ words, wrong answers' first
"""

from __future__ import annotations

import gzip
from array import array
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import groupby, islice
from typing import Any

import msgspec
from msgspec import Struct

from mores.analysis.outcomes import UNSTABLE, unstable_votes
from mores.analysis.results import Result, Results
from mores.benchmarks.benchmark import TracesSources
from mores.benchmarks.catalogue import load, names
from mores.core.sequences import CompressedList, LazySequence
from mores.core.verdict import VerdictRecord
from mores.reports.browse.messages import DayStart, events_of, first_user_message, lines_of, titles_of
from mores.reports.browse.outcomes import (
    CHANGES,
    KINDS,
    AnswerOutcome,
    Played,
    change_of,
    changed,
    expected_label,
    found_of,
    mean_value,
)
from mores.reports.browse.stored_items import BrowserItems, BrowserPlay
from mores.runs.stored_plays import StoredPlays
from mores.tables import formatting as words

PART = 400_000
"""Characters of words after which a new part begins; equal words stand once in each."""

LEVEL = 4
"""Of compression: 7 % more characters than by the usual 6, in less than half the time."""


def packed(values: object) -> str:
    """Plain values as base64 of compressed JSON."""
    # Without the time in its head, so that equal results give equal pages.
    return b64encode(gzip.compress(msgspec.json.encode(values), compresslevel=LEVEL, mtime=0)).decode()


class WordIndex(dict[str, int]):
    """Words that stand once, each by its number.

    >>> codes = WordIndex()
    >>> codes["a"], codes["b"], codes["a"], codes.words
    (0, 1, 0, ['a', 'b'])
    """

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number

    @property
    def words(self) -> list[str]:
        """All of them, by number."""
        return list(self)


class TextChunks:
    """Words of items, item by item, until there is no more room; `room` counts characters of base64.

    `codes` are of the words in the part that is being filled, `remarks` what was written there of plays judged alike.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self.codes, self._size = WordIndex(), 0
        self.remarks: dict[int, list[list[int]]] = {}
        self._items: dict[str, Any] = {}
        self._done: list[str] = []

    @property
    def full(self) -> bool:
        """True where no more words are taken."""
        return self._room <= 0

    def add(self, number: int, plays: list[Any], size: int) -> None:
        """The plays of one item; their words are codes of `codes`, `size` is how many characters they are."""
        self._items[str(number)] = plays
        self._size += size
        if self._size >= PART:
            self._close()

    def __iter__(self) -> Iterator[str]:
        """All parts, packed; what is being filled is closed."""
        if self._items:
            self._close()
        return iter(self._done)

    def _close(self) -> None:
        part = packed({"words": self.codes.words, "items": self._items})
        self._room -= len(part)
        self._done.append(part)
        self.codes, self.remarks, self._size, self._items = WordIndex(), {}, 0, {}


ROOM = 5_000_000
"""Characters of words, compressed and in base64, that a page holds."""
LONGEST = 20_000
"""Characters of one message that a page shows; the rest stays in the transcripts."""
LONG_ENOUGH = 1_200
"""Characters of a question that its title is looked for in."""
LISTED = 6
"""Files of data that are named with each answer."""
OPEN = -1
"""Outcome of an answer of which nothing is known."""


class Browser(Struct, frozen=True, kw_only=True):
    """Items of the page: an index and words as packed text, and how many there are of how many."""

    index: str
    words: tuple[str, ...]
    shown: int
    total: int
    worded: int


class _Questions(LazySequence[str]):
    """Question of each item, as far as its words were put down; empty where they were not."""

    def __init__(self, items: int) -> None:
        self._texts = CompressedList[str](msgspec.msgpack.encode, msgspec.msgpack.Decoder(list[str]).decode)
        self._at = array("i", [-1]) * items

    def put(self, item: int, question: str) -> None:
        """The question of one item."""
        self._at[item] = len(self._texts)
        self._texts.append(question)

    def part(self, begin: int, size: int) -> _Questions:
        """Those of some items that follow each other."""
        found = _Questions(0)
        found._texts, found._at = self._texts, self._at[begin : begin + size]
        return found

    def __len__(self) -> int:
        return len(self._at)

    def at(self, place: int) -> str:
        """The question of the item at a place."""
        at = self._at[place]
        return "" if at < 0 else self._texts[at]


def browser(results: Results, pairs: Sequence[tuple[Result, Result]] = ()) -> Browser | None:
    """All items with their answers, or a draw of them where they are many; None where no answer was judged yet.

    Of `pairs` of results it is told which items went another way in the second; their words come first.
    """
    evaluations = [each for each in results.evaluations if not each.partial]
    with ExitStack() as files:
        items = BrowserItems(evaluations, files)
        if not len(items):
            return None
        changes = [change for pair in pairs for change in _changes(evaluations, items, pair)]
        parts, questions = TextChunks(ROOM), _Questions(len(items))
        stored = (files.enter_context(closing(StoredPlays(each.folder))) for each in evaluations)
        worded = _Words(evaluations, items, tuple(stored), parts, questions).put({number for number, *_ in changes})
        found = tuple(parts)
    index = _index(evaluations, items, questions) | ({"changes": {"kinds": CHANGES, "rows": changes}} if pairs else {})
    return Browser(index=packed(index), words=found, shown=len(items), total=items.total, worded=worded)


def _changes(
    evaluations: Sequence[Result], items: BrowserItems, pair: tuple[Result, Result]
) -> Iterator[tuple[int, int, int]]:
    """An item, a result of the pair, and the number of its change: both results have it where they differ."""
    a, b = pair
    one, other = evaluations.index(a), evaluations.index(b)
    task, disputed = a.headline_tasks[0], {one: unstable_votes(a).items, other: unstable_votes(b).items}
    for number in range(len(items)):
        plays: dict[int, list[Played]] = {one: [], other: []}
        for play in items.plays(number):
            if play.result in plays:
                plays[play.result].append((items.verdicts(play), play.kinds))
        change = change_of(mean_value(plays[one], task), mean_value(plays[other], task))
        for result, own in plays.items():
            if own and change:
                yield number, result, CHANGES.index(change)
            if own and (items.name(number) in disputed[result] or changed(own, task)):
                yield number, result, CHANGES.index(UNSTABLE)


class _Words(Struct, frozen=True):
    """Words on items, on their way into the parts of a page."""

    evaluations: Sequence[Result]
    items: BrowserItems
    stored: Sequence[StoredPlays]
    parts: TextChunks
    questions: _Questions

    def put(self, first: set[int]) -> int:
        """Fill the parts, `first` these items, then those of which an answer is not right; how many are there."""
        right = self.items.all_right
        order = sorted(range(len(self.items)), key=lambda number: 2 * (number not in first) + right(number))
        for count, number in enumerate(order):
            if self.parts.full:
                return count
            self._put(number)
        return len(order)

    def _put(self, number: int) -> None:
        plays, size, question, name = [], 0, "", self.items.name(number)
        codes = self.parts.codes
        for play in self.items.plays(number):
            events = events_of(self.stored[play.result], (name, play.sample))
            lines = list(lines_of(events))
            # Of a day in town it is what the day is for.
            day = next((event.goal for event in events[:1] if isinstance(event, DayStart)), None)
            question = question or (first_user_message(lines) or day or "")[:LONG_ENOUGH]
            spoken = [
                [codes[line.speaker], codes[words.clipped(line.text, LONGEST)], codes[line.prompt]] for line in lines
            ]
            plays.append([play.result, play.sample, spoken, self._remarks(play), day is not None])
            size += sum(len(line.text) for line in lines)
        self.questions.put(number, question)
        self.parts.add(number, plays, size)

    def _remarks(self, play: BrowserPlay) -> list[list[int]]:
        """Remarks on the verdicts on a play; of those that were judged alike they are worked out once a part."""
        found = self.parts.remarks.get(play.alike)
        if found is None:
            tasks = self.evaluations[play.result].headline_tasks[:1]
            several = play.kinds if len(play.kinds) > 1 else {}
            found = [
                _worked_out(self.parts.codes, part, finding, several.get(part) if finding.task in tasks else None)
                for part, finding in self.items.findings(play)
            ]
            if play.alike >= 0:
                self.parts.remarks[play.alike] = found
        return found


def _worked_out(codes: WordIndex, part: str, verdict: VerdictRecord, kind: AnswerOutcome | None) -> list[int]:
    """Task, part, what was found, what was wanted, why, how the answer went where it is one of several, and if good."""
    why = verdict.reason if verdict.verdict == "graded" else verdict.raw
    found, wanted = found_of(verdict), expected_label(verdict)
    key = (verdict.task, part, found, wanted or "", why)
    good = OPEN if wanted is None or verdict.verdict != "graded" else int(verdict.label == wanted)
    return [*(codes[words.clipped(word, LONGEST)] for word in key), OPEN if kind is None else KINDS.index(kind), good]


def _index(evaluations: Sequence[Result], items: BrowserItems, questions: _Questions) -> dict[str, Any]:
    places, groups, units, rests = WordIndex(), WordIndex(), WordIndex(), _rests_on(evaluations)
    titles = _encoded(_titles(items, questions))
    ids, place, unit = list[str](), array("i"), array("i")
    grouped, alike = list[list[int]](), dict[tuple[tuple[str, str], ...], list[int]]()
    for about in items.metadata():
        ids.append(about.item)
        place.append(places[about.place or ""])
        unit.append(units[about.unit])
        own = tuple(about.groups.items())
        if own not in alike:
            alike[own] = [groups[f"{kind}:{value}"] for kind, value in own]
        grouped.append(alike[own])
    columns = {
        "benchmark": _encoded([name for name, size in items.sizes.items() for _ in range(size)]),
        "id": _encoded(ids),
        "title": titles,
        "place": _encoded(place),
        "unit": _encoded(unit),
        "groups": _encoded(grouped),
    }
    return {
        "results": [_result(each) for each in evaluations],
        "kinds": KINDS,
        "items": columns,
        "answers": [_encoded(column) for column in items.answers()],
        "cut": items.cut(),
        "places": [[code, words.group_name("place", code) if code else ""] for code in places.words],
        "groups": [[text, words.group_name(*text.split(":", 1)), words.kind_name(text.split(":", 1)[0])]
                   for text in groups.words],
        "units": units.words,
        "rests": [rests.get(unit, "") for unit in units.words],
    }  # fmt: skip


def _encoded(column: list[Any] | array[int]) -> msgspec.Raw:
    """A column as it will stand in the index: a tenth of the room of its values."""
    return msgspec.Raw(msgspec.json.encode(column if isinstance(column, list) else column.tolist()))


def _titles(items: BrowserItems, questions: _Questions) -> list[str]:
    titles, begin = list[str](), 0
    for benchmark, size in _stretches(items):
        part = questions.part(begin, size)
        titles += titles_of(part) if size > 1 else _title_alone(part.at(0), benchmark)
        begin += size
    return titles


def _title_alone(question: str, benchmark: str) -> list[str]:
    """Title of a question that no other stands beside: its frame is a prompt all of whose plain lines it has."""
    prompts = load(benchmark).prompts if benchmark in names() else ()
    lines = frozenset(question.splitlines())
    plain = ({line for line in prompt.body.splitlines() if line and "[[" not in line} for prompt in prompts)
    own = next((prompt for prompt, rest in zip(prompts, plain, strict=True) if rest and rest <= lines), None)
    frame = () if own is None else (own.render(**dict.fromkeys(own.slots, "")),)
    return titles_of((question, *frame))[:1]


def _stretches(items: BrowserItems) -> Iterator[tuple[str, int]]:
    """Benchmark and number of items that stand together in one language: what is common to all is their frame."""
    languages = (about.groups.get("language") for about in items.metadata())
    for benchmark, size in items.sizes.items():
        for _, together in groupby(islice(languages, size)):
            yield benchmark, sum(1 for _ in together)


def _rests_on(evaluations: Sequence[Result]) -> dict[str, str]:
    """Items that units rest on, as far as their benchmarks say."""
    found: dict[str, str] = {}
    for each in evaluations:
        benchmark: object = load(each.benchmark) if each.benchmark in names() else None
        if isinstance(benchmark, TracesSources):
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
        "data": _files(sorted(result.provenance.data)),
        "source": result.card.source if result.card else "",
    }


def _files(names: list[str]) -> list[str]:
    """Files of data by name, or how many where they are many; the section on how a run was made lists them all."""
    return names if len(names) <= LISTED else [f"{len(names)} files, {names[0]} to {names[-1]}"]


_FORM = """<p class="warning" id="browse-wait">This list needs a browser that runs the page’s script.</p>
<form id="browse-form" hidden>
<label>Benchmark <select name="benchmark"></select></label>
<label>Model <select name="model"></select></label>
<label>Answer <select name="answer"></select></label>
<label>Change <select name="change"></select></label>
<label>Place <select name="place"></select></label>
<label>Group <select name="group"></select></label>
<label>Judge <select name="judge"></select></label>
<label>Words <input type="search" name="q" placeholder="in all that was said"></label>
<output></output>
</form>
<div id="browse-list"></div>
<div id="browse-one" tabindex="-1"></div>
"""


def items_html(held: Browser) -> str:
    """The section that holds all items, or a draw of them."""
    answers = "with the answers of all models"
    shown = f"All {held.total:,} items {answers}"
    if held.shown < held.total:
        shown = f"{held.shown:,} of {held.total:,} items, drawn by the seed, {answers}"
    if held.worded < held.shown:
        shown += f"; {held.worded:,} of them with their words, first those that somebody got wrong"
    parts = "".join(f'<script type="text/plain" class="browse-words">{part}</script>\n' for part in held.words)
    return (
        '<section id="browse" aria-labelledby="browse-head">\n<h2 id="browse-head">Every item, word for word</h2>\n'
        f'<p class="says">{shown}. Everything is in each run’s verdicts.jsonl and transcripts.jsonl. The address of '
        f"this page says what is shown, so it can be sent.</p>\n{_FORM}"
        f'<script type="text/plain" id="browse-index">{held.index}</script>\n{parts}</section>\n'
    )
