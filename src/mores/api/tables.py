"""Results as tables: a row an estimate, an item, an event, a verdict or a call.

Every row says its run, model, benchmark with its version, judges, and whether it was simulated, so that what does not
compare is not averaged unseen. Groups have a column each.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from math import nan
from operator import attrgetter
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec import UNSET, UnsetType

from mores.analysis.results import Result
from mores.api.frames import CodeArray, ColumnKind, Frame, FrameColumn, FrameValue
from mores.core.arrays import Mask
from mores.core.codec import encode
from mores.core.estimate import CategoricalColumn as Names
from mores.core.estimate import MetricRows, caution_of, judge_band_of
from mores.core.transcript import ItemMetadata, TranscriptEvent
from mores.core.verdict import VerdictLine, VoteSummary
from mores.models.facts import NAMES
from mores.tables.missing_texts import format_caution, format_missing

Kinds: TypeAlias = dict[str, ColumnKind]
WHOSE: Kinds = {
    "run": "text", "model": "text", "benchmark": "text", "version": "text", "judges": "text", "simulated": "flag",
}  # fmt: skip
ABOUT: Kinds = {"item": "text", "part": "text", "unit": "text", "cluster": "text", "place": "text"}
FACTS: Kinds = dict.fromkeys(NAMES, "text")
ESTIMATE: Kinds = {
    "metric": "text", "value": "number", "low": "number", "high": "number", "judge_low": "number",
    "judge_high": "number", "asked": "integer", "graded": "integer", "worst": "number", "best": "number",
    "method": "text", "why": "text", "answers": "integer", "cut": "integer", "unreadable": "integer",
    "refused": "integer", "empty": "integer", "caution": "text",
}  # fmt: skip
ANSWERS = ("answers", "cut", "unreadable", "refused", "empty")
"""The columns of an estimate that count the answers behind it, those of its group."""
JUDGE = {"judge_low": "low", "judge_high": "high"}
"""The columns of an estimate that hold its judge band, and which end each is."""
VERDICT: Kinds = {
    "sample": "integer", "task": "text", "verdict": "text", "points": "number", "label": "text", "gold": "text",
    "fault": "text", "reason": "text", "cause": "text", "raw": "text", "votes": "integer", "votes_asked": "integer",
    "words": "integer", "spread": "number", "cut": "flag",
}  # fmt: skip
BALLOT = {"votes": "votes", "votes_asked": "asked", "words": "words", "spread": "spread"}
"""The columns of a judge's grade, and what each is of its ballot."""
TEXTS = ("task", "verdict", "label", "gold", "fault", "reason", "cause", "raw")
TOGETHER = 128
"""Verdicts that are taken into columns at a time; of many more, Python's collector goes through all again and again."""
SCORE: Kinds = {
    "metric": "text", "task": "text", "sample": "integer", "value": "number", "least": "number", "most": "number",
    "weight": "number", "label": "text", "gold": "text",
}  # fmt: skip
ITEM: Kinds = {"asked": "integer", "graded": "integer", "points": "number"}
EVENT: Kinds = {
    "item": "text", "sample": "integer", "step": "integer", "event": "text", "role": "text", "text": "text",
    "whole": "text",
}  # fmt: skip
CALL: Kinds = {
    "item": "text", "sample": "integer", "role": "text", "step": "integer", "asked": "text", "text": "text",
    "reasoning": "text", "finish": "text", "answered_by": "text", "input_tokens": "integer",
    "output_tokens": "integer", "tokens_estimated": "flag", "seconds": "number",
}  # fmt: skip

FrameColumns: TypeAlias = dict[str, FrameColumn]


class _Part(NamedTuple):
    """The rows of one result; `groups` are columns that not every result has."""

    columns: FrameColumns
    groups: FrameColumns


def results_frame(name: str, results: Iterable[Result]) -> Frame:
    """One of the tables that `READERS` makes, of all results.

    Groups are columns too, the last ones; one with the name of another column is called so with `_group`.
    """
    kinds, read = READERS[name]
    parts, counts = [], []
    for result in results:
        part = read(result)
        counts.append(len(next(iter(part.columns.values()))))
        parts.append(_Part({**_whose(result, counts[-1]), **part.columns}, part.groups))
    made = {each: _joined(kind, [part.columns[each] for part in parts]) for each, kind in kinds.items()}
    groups = _joined_groups(parts, counts)
    return Frame(name=name, columns=made | {f"{kind}_group" if kind in made else kind: groups[kind] for kind in groups})


def _estimates(result: Result) -> _Part:
    """A row an estimate, with what is known of its model; it is of all where no column of a group says of what."""
    columns = {
        name: FrameColumn(kind, [getattr(each, name) for each in result.estimates])
        for name, kind in ESTIMATE.items()
        if name not in {"why", "caution", *JUDGE, *ANSWERS}
    }
    counts = [None if result.partial else result.quality.counts(each.group) for each in result.estimates]
    columns |= {
        name: FrameColumn("integer", [None if each is None else getattr(each, name) for each in counts])
        for name in ANSWERS
    }
    cautions, bands = [caution_of(each) for each in result.figures], [judge_band_of(each) for each in result.figures]
    columns |= {
        name: FrameColumn("number", [getattr(band, end, None) for band in bands]) for name, end in JUDGE.items()
    }
    columns["caution"] = FrameColumn("text", [format_caution(each) if each else None for each in cautions])
    columns["why"] = FrameColumn(ESTIMATE["why"], [format_missing(each.missing) or None for each in result.estimates])
    columns |= {name: _same(result.provenance.facts.get(name), len(result.estimates)) for name in FACTS}
    return _Part(columns, _groups([each.group for each in result.estimates]))


def _verdicts(result: Result) -> _Part:
    """A row a verdict of any task; points are missing where nothing could be graded, and `cause` says why."""
    metadata: list[ItemMetadata] = []
    ballots: list[VoteSummary] = []
    about_codes, ballot_codes, samples, points = array("q"), array("q"), array("q"), array("d")
    cut: list[FrameValue] = []
    texts = {name: _Texts(attrgetter(name)) for name in TEXTS}
    found = result.stored.verdict_lines()
    while some := [*islice(found, TOGETHER)]:
        for about, line in some:
            if not metadata or about is not metadata[-1]:  # those on one item stand together
                metadata.append(about)
            about_codes.append(len(metadata) - 1)
            samples.append(line.sample)
            cut.append(bool(line.cut))
            points.append(line.points if isinstance(line.points, float) else nan)
            ballot_codes.append(-1 if line.ballot is None else len(ballots))
            if line.ballot is not None:
                ballots.append(line.ballot)
        lines = [line for _, line in some]
        for each in texts.values():
            each.extend(lines)
    graded = ~np.isnan(points)
    codes, judged = np.array(about_codes), np.array(ballot_codes)
    columns = {
        **_about(metadata, codes),
        **{name: each.column() for name, each in texts.items()},
        "reason": texts["reason"].column(graded),
        "raw": texts["raw"].column(~graded),
        **{
            name: FrameColumn(VERDICT[name], [getattr(each, of) for each in ballots], judged)
            for name, of in BALLOT.items()
        },
        "sample": FrameColumn("integer", np.array(samples)),
        "cut": FrameColumn("flag", cut),
        "points": FrameColumn("number", np.array(points)),
    }
    return _Part(columns, _groups([each.groups for each in metadata], codes))


class _Codes(dict[str | UnsetType | None, int]):
    """The code of each text; a new one gets the next."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self) - len(_NOTHING)
        return self[text]


_NOTHING: dict[str | UnsetType | None, int] = {None: -1, UNSET: -1}


class _Texts:
    """A text of each verdict in the making of a column, each text kept once."""

    def __init__(self, of: Callable[[VerdictLine], str | UnsetType | None]) -> None:
        self._of, self._codes, self._place = of, array("q"), _Codes(_NOTHING)

    def extend(self, lines: Iterable[VerdictLine]) -> None:
        """The texts of further verdicts."""
        self._codes.extend(map(self._place.__getitem__, map(self._of, lines)))

    def column(self, kept: Mask | None = None) -> FrameColumn:
        """The texts of all verdicts, or of those that can have one."""
        codes = np.array(self._codes)
        texts = [text for text in self._place if isinstance(text, str)]
        return FrameColumn("text", texts, codes if kept is None else np.where(kept, codes, -1))


def _scores(result: Result) -> _Part:
    """A row a metric, unit and sample, as all figures are made from; a value is missing where nothing was graded."""
    kinds = {**ABOUT, **SCORE}
    every = [(metric, rows) for metric in result.scores for rows in result.scores.every(metric)]
    parts = [_score(metric, rows) for metric, rows in every]
    columns = {name: _joined(kind, [part.columns[name] for part in parts]) for name, kind in kinds.items()}
    return _Part(columns, _joined_groups(parts, [len(rows) for _, rows in every]))


def _score(metric: str, rows: MetricRows) -> _Part:
    keys, count = rows.keys, len(rows)
    nothing = np.full(count, nan)
    columns = {
        **{name: _named(getattr(keys, name)) for name in ABOUT},
        "metric": _same(metric, count),
        "task": _same(rows.task, count),
        "sample": FrameColumn("integer", keys.sample),
        "value": FrameColumn("number", rows.value),
        "least": FrameColumn("number", rows.least),
        "most": FrameColumn("number", rows.most),
        "weight": FrameColumn("number", nothing if rows.weight is None else rows.weight),
        "label": _named(rows.label) if rows.label else _same(None, count),
        "gold": _named(rows.gold) if rows.gold else _same(None, count),
    }
    return _Part(columns, {kind: _named(names) for kind, names in keys.groups.items() if (names.codes >= 0).any()})


def _items(result: Result) -> _Part:
    """A row an item, or a part of it that counts alone: how many answers, how many graded, and their mean points.

    Points are those of the verdicts that the headline rests on.
    """
    table = result.verdict_table
    asked = [table.frame(task) for task in result.headline_tasks[:1]]
    points = np.concatenate([each.points for each in asked] or [np.zeros(0)])
    which = np.concatenate([each.item for each in asked] or [np.zeros(0, dtype=np.int64)])
    place: dict[tuple[str, str], int] = {}
    firsts: list[ItemMetadata] = []
    row_of = np.full(len(table.item_metadata), -1)
    for index in dict.fromkeys(which.tolist()):
        about = table.item_metadata[index]
        row_of[index] = place.setdefault((about.item, about.part), len(place))
        if row_of[index] == len(firsts):
            firsts.append(about)
    rows, graded = row_of[which], ~np.isnan(points)
    counts = np.bincount(rows[graded], minlength=len(firsts))
    sums = np.bincount(rows[graded], weights=points[graded], minlength=len(firsts))
    columns = {
        **_about(firsts),
        "asked": FrameColumn("integer", np.bincount(rows, minlength=len(firsts))),
        "graded": FrameColumn("integer", counts),
        "points": FrameColumn("number", np.divide(sums, counts, out=np.full(len(firsts), nan), where=counts > 0)),
    }
    return _Part(columns, _groups([each.groups for each in firsts]))


def _transcripts(result: Result) -> _Part:
    """A row an event of a transcript, in order; `text` are its words, if it has any, `whole` is all of it as JSON."""
    rows = [
        (transcript.item, transcript.sample, step, event.event, getattr(event, "role", None), _words(event),
         encode(event).decode())
        for transcript in result.transcripts() for step, event in enumerate(transcript.events)
    ]  # fmt: skip
    return _Part(_of_rows(EVENT, rows), {})


def _words(event: TranscriptEvent) -> str | None:
    messages = getattr(event, "messages", None)
    if messages is not None:
        return "\n\n".join(message.content for message in messages)
    text = getattr(event, "text", None)
    return text if isinstance(text, str) else None


def _calls(result: Result) -> _Part:
    """A row a call that was answered; `asked` are its messages as JSON."""
    rows = [
        (tag.item, tag.sample, tag.role, tag.step, encode(messages).decode(), reply.text, reply.reasoning, reply.finish,
         reply.model, reply.usage.input, reply.usage.output, reply.usage.estimated, reply.seconds)
        for tag, messages, reply in result.stored.calls()
    ]  # fmt: skip
    return _Part(_of_rows(CALL, rows), {})


def _joined_groups(parts: Sequence[_Part], counts: Sequence[int]) -> FrameColumns:
    kinds = dict.fromkeys(kind for part in parts for kind in part.groups)
    counted = [*zip(parts, counts, strict=True)]
    return {kind: _joined("text", [part.groups.get(kind) or _same(None, n) for part, n in counted]) for kind in kinds}


def _joined(kind: ColumnKind, columns: Sequence[FrameColumn]) -> FrameColumn:
    """Columns one below the other; values that several share stay one list."""
    if len(columns) == 1:
        return columns[0]
    if all(isinstance(each.values, np.ndarray) for each in columns) and columns:
        return FrameColumn(kind, np.concatenate([np.asarray(each.values) for each in columns]))
    if all(each.codes is None for each in columns):
        return FrameColumn(kind, [value for each in columns for value in each.values])
    values: list[FrameValue] = []
    starts: dict[int, int] = {}
    codes = []
    for each in columns:
        if id(each.values) not in starts:
            starts[id(each.values)] = len(values)
            values.extend(each.values)
        own = np.arange(len(each)) if each.codes is None else each.codes
        codes.append(np.where(own < 0, -1, own + starts[id(each.values)]))
    return FrameColumn(kind, values, np.concatenate(codes))


def _whose(result: Result, count: int) -> FrameColumns:
    judges = ", ".join(result.judges.values()) or None
    version = result.provenance.card.version
    whose = (str(result.run), result.label, result.benchmark, version, judges, result.simulated)
    return {name: _same(value, count, kind) for (name, kind), value in zip(WHOSE.items(), whose, strict=True)}


def _same(value: FrameValue, count: int, kind: ColumnKind = "text") -> FrameColumn:
    return FrameColumn(kind, (value,), np.zeros(count, dtype=np.int64))


def _named(names: Names) -> FrameColumn:
    return FrameColumn("text", names.names, names.codes)


def _about(metadata: Sequence[ItemMetadata], codes: CodeArray | None = None) -> FrameColumns:
    return {name: FrameColumn("text", [getattr(each, name) for each in metadata], codes) for name in ABOUT}


def _groups(grouped: Sequence[Mapping[str, str]], codes: CodeArray | None = None) -> FrameColumns:
    kinds = dict.fromkeys(kind for groups in grouped for kind in groups)
    return {kind: FrameColumn("text", [groups.get(kind) for groups in grouped], codes) for kind in kinds}


def _of_rows(kinds: Kinds, rows: Sequence[tuple[FrameValue, ...]]) -> FrameColumns:
    columns: Sequence[Sequence[FrameValue]] = list(zip(*rows, strict=True)) or [()] * len(kinds)
    return {name: FrameColumn(kind, column) for (name, kind), column in zip(kinds.items(), columns, strict=True)}


READERS: dict[str, tuple[Kinds, Callable[[Result], _Part]]] = {
    "estimates": ({**WHOSE, **ESTIMATE, **FACTS}, _estimates),
    "scores": ({**WHOSE, **ABOUT, **SCORE}, _scores),
    "items": ({**WHOSE, **ABOUT, **ITEM}, _items),
    "transcripts": ({**WHOSE, **EVENT}, _transcripts),
    "verdicts": ({**WHOSE, **ABOUT, **VERDICT}, _verdicts),
    "calls": ({**WHOSE, **CALL}, _calls),
}
"""The columns of each table, and what reads its rows from a result."""
