"""Quality of a run's answers: cut at a limit, unreadable, refused, empty, or all alike.

verdicts on the subject's answers ─▶ counts of the whole and of each group ─▶ what a reader must know of a figure

Answers are counted, not the units of a metric: a question of four statements is four answers, an answer that is held
against five norms is one, and a day has one a step. An answer of which nothing is known, as the call failed or a judge
did, is no part of any count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct

from mores.analysis.groups import PLACE, column_of, values_of
from mores.core.arrays import Codes, Mask
from mores.core.card import READINGS, Protocol
from mores.core.errors import InputError
from mores.core.estimate import Caution, RowKeys
from mores.core.transcript import ReplyEvent, Transcript, TurnEvent
from mores.core.verdict import STEP_TASK
from mores.core.verdict_table import VerdictColumns, VerdictTable
from mores.tables import formatting as words

ALIKE_FROM, FEWEST_ALIKE = 0.9, 10
"""Share of one answer among so many that were read from which they are all alike."""
FEWEST_ITEMS = 5
"""Items that they answer at least: the same answer to the same question again is no wonder."""
MAY_BE_ALIKE = 0.5
"""Share of verdicts on equally many words from which texts are looked at; answers may have unequally many verdicts."""
FIRST_WORDS = 8
SUBJECT = "subject"


class OneText(Struct, frozen=True, kw_only=True):
    """The words that nearly all open answers are: how they begin, in how many answers, and how many have words."""

    begins: str
    given: int
    read: int


def one_text(counts: Codes, plays: Iterable[Transcript], answers: int) -> OneText | None:
    """The words of nearly all open answers; None where they differ, or are too few or to too few items.

    Args:
        counts: How many words each verdict of a judge is on.
        plays: All transcripts; read only where answers may be alike.
        answers: How many there are at most.
    """
    if len(counts) < FEWEST_ALIKE:
        return None
    with suppress(InputError):  # a file that cannot be read shows nothing; whoever shows its words says so
        return _read(plays, answers, equal=int(np.bincount(counts).max()) >= MAY_BE_ALIKE * len(counts))
    return None


def _read(plays: Iterable[Transcript], answers: int, *, equal: bool) -> OneText | None:
    texts, items, read, most = Counter[str](), set[str](), 0, 0
    for play in plays:
        text = "\n".join(_subject_text(play))
        if not text:
            continue
        texts[text] += 1
        items.add(play.item)
        read, most = read + 1, max(most, texts[text])
        even_if_all_others_were_it = most + answers - read
        if not (equal or _is_talk(play)) or even_if_all_others_were_it < ALIKE_FROM * answers:
            return None
    return _commonest(texts) if len(items) >= FEWEST_ITEMS else None


def _commonest(texts: Counter[str]) -> OneText | None:
    ((text, given),), read = texts.most_common(1), texts.total()
    if read < FEWEST_ALIKE or given < ALIKE_FROM * read:
        return None
    words = text.split()
    more = "…" if len(words) > FIRST_WORDS else ""
    return OneText(begins=f"{' '.join(words[:FIRST_WORDS])}{more}", given=given, read=read)


def _is_talk(play: Transcript) -> bool:
    return any(isinstance(event, TurnEvent) for event in play.events)


def _subject_text(play: Transcript) -> Iterator[str]:
    """Texts of the subject, each once: a talk of one sentence is that sentence, however long it lasts."""
    own = (event for event in play.events if isinstance(event, ReplyEvent | TurnEvent) and event.role == SUBJECT)
    return iter(dict.fromkeys(words for event in own if (words := " ".join(event.text.split()))))


REPORTED_FROM, MARKED_FROM = 0.05, 0.5
"""Shares of broken answers from which a reader is told first of all, and from which figures bear a mark."""
EXCESS_OVER_GOLD = 0.1
"""By how much more often a label is given than it is right, at least, where answers are called alike."""
ROOM = 24
"""Tokens that a label with some words round it takes."""
UNMARKED = frozenset({"format_error", "refusal", "people", "people_left_out"})
"""Metrics that are such counts themselves, or of what people answered, and bear no mark."""


class QualityCounts(Struct, frozen=True, kw_only=True):
    """Answers by what was wrong with them; `broken` is any of cut, unreadable and refused.

    `empty` are those of the unreadable without a word, `cut_unread` those of them that were cut, `read_leniently` those
    in which the other reading finds a label.
    """

    answers: int = 0
    cut: int = 0
    unreadable: int = 0
    refused: int = 0
    empty: int = 0
    broken: int = 0
    cut_unread: int = 0
    read_leniently: int = 0

    @property
    def share(self) -> float:
        """The part of the answers that is broken."""
        return self.broken / self.answers if self.answers else 0.0


class OneLabel(Struct, frozen=True, kw_only=True):
    """The label that nearly all answers give: how many of those that were read, and how often it is right."""

    label: str
    given: int
    read: int
    right: int

    @property
    def name(self) -> str:
        """The label as people write it."""
        return _as_written(self.label)


class Always(NamedTuple):
    """The label that would get most if given to all, and its share of the headline's units."""

    label: str
    share: float

    @property
    def name(self) -> str:
        """The label as people write it."""
        return _as_written(self.label)


def _as_written(label: str) -> str:
    """Letters of options are capitals."""
    return label.upper() if len(label) == 1 else label


class AnswerQuality(Struct, frozen=True, kw_only=True):
    """The answers of one evaluation; `groups` has the counts of each group by its kind and value.

    `constant` is the label that nearly all answers give, `repeated` the words that nearly all open answers are.
    `always` is the label that would get most alone. `limit` is what an answer was limited to in tokens, None where it
    was not. `more_tokens` and `leniently` are the way on, None and False where there is none: another limit than the
    run had, and the other reading.
    """

    whole: QualityCounts
    groups: Mapping[tuple[str, str], QualityCounts]
    constant: OneLabel | None = None
    repeated: OneText | None = None
    always: Always | None = None
    limit: int | None = None
    more_tokens: int | None = None
    leniently: bool = False

    @property
    def is_reported(self) -> bool:
        """True where a reader is told first of all."""
        return self.whole.share >= REPORTED_FROM or self.alike

    @property
    def alike(self) -> bool:
        """True where nearly all answers are one and the same."""
        return self.constant is not None or self.repeated is not None

    def counts(self, group: Mapping[str, str]) -> QualityCounts:
        """The counts of one group; those of all for the whole, and for groups that answers do not fall into."""
        pairs = tuple(group.items())
        return self.groups.get(pairs[0], self.whole) if len(pairs) == 1 else self.whole

    def caution(self, group: Mapping[str, str], metric: str = "") -> Caution | None:
        """Caution on a figure of all answers, or of those of one group; None where most can be used."""
        if metric in UNMARKED:
            return None
        counts = self.counts(group)
        if counts.share >= MARKED_FROM:
            return _caution(counts)
        if self.constant is not None:
            one = self.constant
            return Caution(code="answers_alike", n=one.given, of=one.read, words=(one.name,))
        if self.repeated is not None:
            text = self.repeated
            return Caution(code="answers_repeated", n=text.given, of=text.read, words=(text.begins,))
        return None


def _caution(counts: QualityCounts) -> Caution:
    """The commonest of what is wrong with most answers; all of it together where none alone is wrong with half."""
    kinds = {"answers_unreadable": counts.unreadable, "answers_refused": counts.refused, "answers_cut": counts.cut}
    code, many = max(kinds.items(), key=lambda kind: kind[1])
    if many < MARKED_FROM * counts.answers:
        code, many = "answers_broken", counts.broken
    return Caution(code=code, n=many, of=counts.answers)


class QualityContext(NamedTuple):
    """Facts of an evaluation that its counts depend on besides its verdicts.

    `task` is the one that its headline rests on; a step of a day has a task of its own for this. `kinds` are those of
    groups that its figures are of. Of answers that were played back (`recorded`) no other limit would change any.
    `plays` reads the transcripts, where open answers may all be alike.
    """

    task: str
    kinds: tuple[str, ...]
    protocol: Protocol
    recorded: bool
    plays: Callable[[], Iterable[Transcript]]


_known: WeakKeyDictionary[VerdictTable, AnswerQuality] = WeakKeyDictionary()


def answer_quality(table: VerdictTable, asked: Callable[[], QualityContext]) -> AnswerQuality:
    """Quality of the answers that a run's verdicts are on; counted once for a table, when it is asked for."""
    found = _known.get(table)
    if found is None:
        how = asked()
        found = _known[table] = _quality(table, how._replace(task=STEP_TASK) if STEP_TASK in table.tasks else how)
    return found


def _quality(table: VerdictTable, asked: QualityContext) -> AnswerQuality:
    every = _one_an_answer(table, table.frame(asked.task), by_part=asked.task == STEP_TASK)
    # a call that failed has neither points nor a cut, and says nothing of the answer
    known = np.isfinite(every.points) | (every.cut > 0)
    frame = every.take(np.flatnonzero(known))
    flags = _flags(table, frame, asked)
    whole = QualityCounts(answers=len(frame.item), **{name: int(flag.sum()) for name, flag in flags.items()})
    keys = table.keys.take(frame.item)
    groups = {pair: counts for kind in asked.kinds for pair, counts in _by_group(keys, kind, flags)}
    protocol = asked.protocol
    limit = protocol.answer_tokens or protocol.sampling.max_tokens
    # a label that was read before the cut loses nothing by it; an open answer does
    hidden = whole.cut_unread if asked.task in READINGS else whole.cut
    return AnswerQuality(
        whole=whole,
        groups=groups,
        constant=_one_label(table, frame),
        repeated=None if asked.task == STEP_TASK else _one_text(table, asked, len(every.item)),
        always=_always(table, asked),
        limit=limit,
        more_tokens=None if limit is None or asked.recorded or not hidden else max(ROOM, 2 * limit),
        leniently=protocol.reading == "strict" and whole.read_leniently > 0,
    )


def _one_an_answer(table: VerdictTable, frame: VerdictColumns, *, by_part: bool) -> VerdictColumns:
    """The first verdict on each answer, an item in a sample; each step of a day is one."""
    if by_part or not len(frame.item):
        return frame
    answer = table.keys.item.codes[frame.item] * (1 + int(frame.sample.max())) + frame.sample
    _, first = np.unique(answer, return_index=True)
    return frame if len(first) == len(answer) else frame.take(np.sort(first))


def _flags(table: VerdictTable, frame: VerdictColumns, asked: QualityContext) -> dict[str, Mask]:
    cut, unreadable = frame.cut > 0, frame.fault == table.code("format_error")
    refused = frame.fault == table.code("refusal")
    return {
        "cut": cut,
        "unreadable": unreadable,
        "refused": refused,
        "empty": unreadable & (frame.empty > 0),
        "broken": cut | unreadable | refused,
        "cut_unread": cut & unreadable,
        "read_leniently": unreadable & _read_otherwise(table, frame, asked),
    }


def _read_otherwise(table: VerdictTable, frame: VerdictColumns, asked: QualityContext) -> Mask:
    """Mask of answers that have a label by the lenient reading, where the run reads strictly."""
    nothing = np.zeros(len(frame.item), dtype=np.bool_)
    if asked.task != "strict" or "lenient" not in table.tasks:
        return nothing
    other = table.frame("lenient")
    samples = 1 + int(max(frame.sample.max(initial=0), other.sample.max(initial=0)))
    read: Mask = np.zeros(len(table.item_metadata) * samples, dtype=np.bool_)
    read[other.item * samples + other.sample] = other.label >= 0
    found: Mask = read[frame.item * samples + frame.sample]
    return found


def _by_group(keys: RowKeys, kind: str, flags: Mapping[str, Mask]) -> list[tuple[tuple[str, str], QualityCounts]]:
    """The counts of each group of a kind."""
    column = column_of(keys, kind)
    if column is None:
        return []
    names = [values_of(kind, name) if kind != PLACE else (name,) for name in column.names]
    found = dict[str, dict[str, int]]()
    every = {"answers": np.ones(len(keys), dtype=np.bool_), **flags}
    sums = {name: _sums(column.codes, flag, len(names)) for name, flag in every.items()}
    for code, values in enumerate(names):
        for value in values:
            counts = found.setdefault(value, dict.fromkeys(sums, 0))
            for name, per_name in sums.items():
                counts[name] += int(per_name[code])
    return [((kind, value), QualityCounts(**counts)) for value, counts in found.items()]


def _sums(codes: Codes, counted: Mask, size: int) -> Codes:
    """Rows that are counted, by code; those without one are left out."""
    # moved up by one, as rows without a group have the code -1
    return np.bincount(codes[counted] + 1, minlength=size + 1)[1:]


def _one_label(table: VerdictTable, frame: VerdictColumns) -> OneLabel | None:
    """The label that nearly all answers give that were read, where the right ones are not so skewed."""
    read = frame.take((frame.label >= 0) & (frame.gold >= 0))
    if len(read.item) < FEWEST_ALIKE:
        return None
    counts = np.bincount(read.label)
    label, many = int(counts.argmax()), len(read.item)
    given, right = int(counts[label]), int((read.gold == label).sum())
    if given < ALIKE_FROM * many or given - right <= EXCESS_OVER_GOLD * many:
        return None
    return OneLabel(label=table.words[label], given=given, read=many, right=right)


def _one_text(table: VerdictTable, asked: QualityContext, answers: int) -> OneText | None:
    """The words that nearly all answers are which a judge had to read; None where there are none."""
    counts = table.words_judged()
    return one_text(counts, asked.plays(), answers) if len(counts) else None


def _always(table: VerdictTable, asked: QualityContext) -> Always | None:
    """The label that is right of most units by itself: of all of a unit's items.

    None where labels are not read, or not all items of a unit were asked.
    """
    if asked.task not in READINGS or asked.protocol.settings.get("stop") == "wrong":  # which left some items out
        return None
    frame = table.frame(asked.task)
    frame = frame.take((frame.gold >= 0) & (frame.sample == 0))
    if not len(frame.item):
        return None
    _, unit = np.unique(table.keys.unit.codes[frame.item], return_inverse=True)
    sizes = np.bincount(unit)
    found = {int(gold): np.bincount(unit[frame.gold == gold], minlength=len(sizes)) for gold in np.unique(frame.gold)}
    shares = {gold: float((counts == sizes).mean()) for gold, counts in found.items()}
    best = max(shares, key=lambda gold: shares[gold])
    return Always(table.words[best], shares[best])


def describe_quality(quality: AnswerQuality) -> str:
    """Faults of answers in a sentence without its full stop; empty where there are none."""
    counts = quality.whole
    texts = [_unread(counts, quality.limit), _refused(counts), _cut(counts, quality.limit), _alike(quality.constant)]
    return "; ".join(filter(None, (*texts, _repeated(quality.repeated))))


def _unread(counts: QualityCounts, limit: int | None) -> str:
    if not counts.unreadable:
        return ""
    at = f"cut at {limit:,} tokens" if limit is not None else "cut at a limit"
    whole = counts.cut_unread == counts.unreadable
    details = [f"{'all' if whole else f'{counts.cut_unread:,}'} of them {at}"] if counts.cut_unread else []
    details += [f"{counts.empty:,} of them empty"] if counts.empty else []
    return ", ".join((f"{counts.unreadable:,} of {counts.answers:,} answers could not be read", *details))


def _refused(counts: QualityCounts) -> str:
    return f"{counts.refused:,} of {counts.answers:,} answers were refused" if counts.refused else ""


def _cut(counts: QualityCounts, limit: int | None) -> str:
    """Those that were cut and used all the same."""
    used = counts.cut - counts.cut_unread
    at = f"{limit:,} tokens" if limit is not None else "a limit"
    return f"{used:,} of {counts.answers:,} answers were used though cut at {at}" if used else ""


def _alike(one: OneLabel | None) -> str:
    if one is None:
        return ""
    right = words.format_whole(one.right / one.read)
    return f"“{one.name}” is the answer in {one_in(one)}, and right in {right}%"


def _repeated(one: OneText | None) -> str:
    return "" if one is None else f"the same words in {one_in(one)} answers: “{one.begins}”"


def one_in(one: OneLabel | OneText) -> str:
    """Number of the answers that could be read: `29 of 30`."""
    return f"{one.given:,} of {one.read:,}"
