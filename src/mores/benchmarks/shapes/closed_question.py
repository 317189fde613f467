"""Closed questions: one turn, one label out of a short list."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import permutations
from typing import Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from mores.benchmarks.benchmark import CallEstimate, ExpectedVerdict, Grading, Setting
from mores.benchmarks.scoring import Scoring
from mores.benchmarks.shapes.base import BaseShape
from mores.benchmarks.shapes.judge_panel import DECLINED, failed_verdict, label_verdict, why_unusable
from mores.benchmarks.shapes.labels import (
    LabelReading,
    begin_of,
    names_label,
    read_in_words,
    read_json_label,
    read_label,
)
from mores.benchmarks.shapes.question import SUBJECT, answer_of, effort_of, limited, of_subject
from mores.benchmarks.shapes.scoring import CLOSED, VerdictSource
from mores.core.card import READINGS, Control, Protocol, Reading
from mores.core.errors import InputError
from mores.core.prompt import Prompt, preceded
from mores.core.sequences import CompressedList
from mores.core.transcript import ItemMetadata, ReplyEvent, Transcript
from mores.core.verdict import NO_WORDS, Verdict
from mores.models.cast import Cast
from mores.models.request import AnswerKey, BundleKey
from mores.stats.rng import generator

_REFUSED = LabelReading(None, "refusal")


class QuestionFormat(Struct, frozen=True, kw_only=True):
    """Format of a question: the prompt, its slots in order, and the words of each label.

    `affirmative` is the label that says yes; `reply` is whether the label is asked for as a bare word or as JSON. Where
    a question is not in English, `spellings` has the label of each word that an answer may give for it.
    """

    prompt: Prompt
    slots: tuple[str, ...]
    label_texts: dict[str, str]
    affirmative: str | None = None
    rung: str = "know"
    reply: Literal["word", "json"] = "word"
    spellings: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def words(self) -> dict[str, str]:
        """Labels by the words that an answer gives for them."""
        return self.spellings or {label: label for label in self.labels}

    @property
    def labels(self) -> tuple[str, ...]:
        """Those that have a text, in their order."""
        return tuple(self.label_texts)


# Items are part of no cycle, and there are tens of thousands: the garbage collector need not look at them.
class ClosedItem(Struct, frozen=True, kw_only=True, gc=False):
    """One closed question; `words` fill the form's slots in their order, `gold` is the right label.

    `knowledge` names what is known or not known as one; by default the unit. `norms` are the names of those that a
    question on several of them leaves to be known; None for other questions. `line` is where it stands in its file.
    `options` are what the labels stand for, in their order, where that has words of its own; `place_name` is the place
    as the data name it. `drawn` is the name that its unit is drawn by, where that is another's too. `control` says
    how its place was masked or swapped, and `swapped_place` which place it is asked of instead; `preface` is what the
    subject is told before.
    """

    about: ItemMetadata
    form: QuestionFormat
    words: tuple[str, ...]
    gold: str
    knowledge: str | None = None
    norms: tuple[str, ...] | None = None
    line: int = 0
    options: tuple[str, ...] = ()
    place_name: str = ""
    drawn: str = ""
    control: Control | UnsetType = UNSET
    swapped_place: str = ""
    preface: str = ""

    @property
    def prompt(self) -> Prompt:
        """The prompt of its form."""
        return self.form.prompt

    def render(self) -> str:
        """The words put to the subject."""
        return preceded(self.form.prompt.render(**dict(zip(self.form.slots, self.words, strict=True))), self.preface)

    def key(self) -> AnswerKey:
        """Answer key for simulated and baseline models alone."""
        about, form = self.about, self.form
        known = self.knowledge or about.unit
        make = AnswerKey if self.norms is None else partial(BundleKey, norms=self.norms)
        return make(
            unit=f"{known}@{self.swapped_place}" if self.swapped_place else known,
            truth=self.gold,
            ways=form.label_texts,
            place=self.swapped_place or about.place,
            rung=form.rung,
            affirmative=form.affirmative,
            options=dict(zip(form.labels, self.options, strict=True)) if self.options else {},
            place_name=self.place_name,
            control=self.control,
        )


class _Row(Struct, array_like=True, gc=False):
    """An item as it is packed: its form by number, and `control` None where there is none."""

    about: ItemMetadata
    form: int
    words: tuple[str, ...]
    gold: str
    knowledge: str | None
    norms: tuple[str, ...] | None
    line: int
    options: tuple[str, ...]
    place_name: str
    drawn: str
    control: Control | None
    swapped_place: str
    preface: str


_rows = msgspec.msgpack.Decoder(list[_Row])


def packed_items(items: Iterable[ClosedItem]) -> CompressedList[ClosedItem]:
    """The same items in a tenth of the memory; each is made anew for whoever asks for it."""
    forms: list[QuestionFormat] = []

    def encode(group: list[ClosedItem]) -> bytes:
        # By identity: forms are few and shared by all items, and to compare the prompts of each would be slow.
        forms.extend(form for form in {id(item.form): item.form for item in group}.values()
                     if all(form is not known for known in forms))  # fmt: skip
        number = {id(form): at for at, form in enumerate(forms)}
        return msgspec.msgpack.encode([
            _Row(item.about, number[id(item.form)], item.words, item.gold, item.knowledge, item.norms, item.line,
                 item.options, item.place_name, item.drawn, None if item.control is UNSET else item.control,
                 item.swapped_place, item.preface)
            for item in group
        ])  # fmt: skip

    def decode(group: bytes) -> list[ClosedItem]:
        return [
            ClosedItem(
                about=row.about, form=forms[row.form], words=row.words, gold=row.gold, knowledge=row.knowledge,
                norms=row.norms, line=row.line, options=row.options, place_name=row.place_name, drawn=row.drawn,
                control=UNSET if row.control is None else row.control, swapped_place=row.swapped_place,
                preface=row.preface,
            )
            for row in _rows.decode(group)
        ]  # fmt: skip

    found = CompressedList(encode, decode)
    found.extend(items)
    return found


def grade(
    item: ClosedItem, transcript: Transcript, limit: int | None = None, within: int | None = None
) -> tuple[Verdict, ...]:
    """One verdict for each way of reading the label; `limit` is what the answer was limited to, in tokens.

    `within` is the same where the call had room for thinking beside: such an answer is read as if it had ended there.
    """
    reply, sample = answer_of(transcript), transcript.sample
    if not isinstance(reply, ReplyEvent):
        return tuple(
            failed_verdict(reply, ExpectedVerdict(task, item.about), sample, gold=item.gold) for task in READINGS
        )
    # An endpoint that says it refused is believed, whatever label stands in its words.
    strict, lenient = (_REFUSED, _REFUSED) if reply.refusal else _read(item.form, reply.text, within)
    verdicts = tuple(
        label_verdict(read, ExpectedVerdict(task, item.about), sample, gold=item.gold, why=why)
        for task, read, why in zip(READINGS, (strict, lenient), _whys(item.form, reply, strict, lenient), strict=True)
    )
    if reply.finish != "length":
        return verdicts
    at = "cut at its limit" if limit is None else f"cut at {limit:,} tokens"
    return tuple(
        replace(each, cut=True, reason=each.reason if each.reason in {"", *NO_WORDS} else f"{each.reason}; {at}")
        for each in verdicts
    )


def _read(form: QuestionFormat, text: str, within: int | None) -> tuple[LabelReading, LabelReading]:
    """The label read strictly and leniently: within so many tokens, and leniently to the end where there is none.

    What can be read strictly is read leniently as the same.
    """
    by_form = read_json_label if form.reply == "json" else read_label

    def read(text: str, reading: Reading) -> LabelReading:
        return read_in_words(text, form.words, lambda text, words: by_form(text, words, reading))

    begin = text if within is None else begin_of(text, within)
    strict = read(begin, "strict")
    if strict.label is not None:
        return strict, strict
    lenient = read(begin, "lenient")
    return strict, lenient if lenient.label is not None or begin == text else read(text, "lenient")


def _answer_limit(transcript: Transcript, protocol: Protocol) -> int | None:
    """The answer's own limit, where its call may have had room for thinking beside; None where it had none."""
    reply, asked = answer_of(transcript), protocol.subject
    thinks = asked is not None and asked.thinking not in {None, "off"}
    return protocol.answer_tokens if thinks or (isinstance(reply, ReplyEvent) and reply.reasoning) else None


def _whys(form: QuestionFormat, answer: ReplyEvent, strict: LabelReading, lenient: LabelReading) -> tuple[str, str]:
    """Reasons that hide the label of an answer from each reading."""
    if strict.fault is None:
        return "", ""
    if not answer.text.strip():
        return why_unusable(answer), why_unusable(answer)
    hidden = "several labels in the reply" if names_label(answer.text, tuple(form.words)) else "no label in the reply"
    more = 'no label under "Answer"' if form.reply == "json" else "more than the label alone"
    plain = f"{more} (strict)" if lenient.label is not None else hidden
    return DECLINED if strict.fault == "refusal" else plain, DECLINED if lenient.fault == "refusal" else hidden


def permuted(options: int, item: str, setting: Setting) -> Sequence[int]:
    """Indices of so many options in the order in which a run asks an item.

    The first order is the published one, or one drawn at random where options are shuffled. Any further one is drawn
    for each item from those that the item was not asked in before.

    Raises:
        InputError: options are shuffled and asked in further orders too.
    """
    order = setting.protocol.variant.order
    if setting.protocol.shuffle:
        if order > 1:
            raise InputError("--shuffle with --orders: the first order is the published one; leave out --shuffle.")
        return [int(option) for option in generator(setting.seed.child("shuffle", item)).permutation(options)]
    if order == 1:
        return range(options)
    others = list(permutations(range(options)))[1:]
    drawn = generator(setting.seed.child("orders", item)).permutation(len(others))
    # One permutation serves all further orders, so no item is asked twice in the same one.
    return others[int(drawn[order - 2])]


class ClosedBenchmark(BaseShape[ClosedItem], frozen=True, kw_only=True):
    """A benchmark of closed questions, put in these forms; `orders`: how many its options can stand in (`permuted`)."""

    forms: tuple[QuestionFormat, ...]
    orders: int = 1

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts of all its forms."""
        return tuple(form.prompt for form in self.forms)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Each reading of the label is a task."""
        return READINGS

    @property
    def affirmative(self) -> bool:
        """True where every form has a label that says yes."""
        return all(form.affirmative is not None for form in self.forms)

    def stops(self, setting: Setting) -> bool:
        """True where no further item of a unit is asked once one is wrong."""
        return setting.protocol.settings.get("stop") == "wrong"

    def due(self, item: ClosedItem) -> tuple[ExpectedVerdict, ...]:
        """A verdict a reading."""
        return tuple(ExpectedVerdict(task, item.about, item.gold) for task in READINGS)

    def outline(self, item: ClosedItem, setting: Setting) -> dict[str, CallEstimate]:
        """One call: the words, and the limit on the answer."""
        return {SUBJECT: effort_of(item.render(), of_subject(setting.protocol))}

    def items(self, setting: Setting) -> Sequence[ClosedItem]:
        """All items, in the order of the data, packed.

        Raises:
            InputError: the data is missing or malformed, or two items have one id.
        """
        return packed_items(self._once(setting))

    async def judge(self, item: ClosedItem, transcript: Transcript, cast: Cast, setting: Setting) -> Grading:
        """The label read both ways; nobody is asked."""
        _ = cast
        limit = limited(setting.protocol).max_tokens
        return Grading(grade(item, transcript, limit, _answer_limit(transcript, setting.protocol)))

    def scoring(self, setting: Setting) -> Scoring[VerdictSource]:
        """The metrics of the card, by the run's reading of labels."""
        reading = setting.protocol.reading
        measures = {**CLOSED, **self.measures, **self.brought(setting)}
        # The accuracy by the run's own reading is the headline again, and is not compared a second time.
        other = {f"accuracy_{reading}": replace(measures[f"accuracy_{reading}"], compared=False)}
        headline = {self.card.headline: replace(measures[self.card.headline], tasks=(reading,))}
        return Scoring(self.card, {**measures, **other, **headline}, partial(VerdictSource, reading=reading), self.also)
