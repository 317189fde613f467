"""The rungs without their place, with another, and with the norm told: what a pack has for it, put to the subject.

Masked are know, judge, explain, apply and converse, each by the table of its norm or bundle. A day cannot be masked:
origin, name and company of a resident all follow from the place. Swapped are know and judge, of which a pack can say
what is right elsewhere. Judges are told of the norm and its place as ever, and of people by the names that the subject
saw.

Told are all rungs: the norm of an item, or all norms of a bundle, stand before its words in a neutral sentence. Who
still falls then does not fall for want of knowing the norm. Nobody but the subject is told more than without it.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores.benchmarks.controls import ControlSpec, PutOtherwise
from mores.benchmarks.ladder.pack_info import PackOf
from mores.benchmarks.ladder.scores import norm_of
from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.benchmarks.shapes.days.grading import DayItem
from mores.benchmarks.shapes.dialogues.dialogue import DialogueItem, DialogueRole, ScriptedTurn
from mores.benchmarks.shapes.open_answer import NormedItem
from mores.benchmarks.shapes.reasons.benchmark import ExplainedItem
from mores.core.card import Control
from mores.core.languages import ENGLISH
from mores.core.norm import Norm
from mores.core.prompt import Prompt
from mores.norms.items import UNKNOWN, SwappedPlace
from mores.norms.pack import Pack, PackNorm, parallel
from mores.norms.places import place
from mores.norms.remove_place import HIDDEN, PLACE, ControlExclusion, PlaceMask, hidden, name_with_article, named_in

HERE = Path(__file__).parent
MaskableRung = ClosedItem | ExplainedItem | NormedItem | DialogueItem
LadderItem = MaskableRung | DayItem
UNMASKED = ControlExclusion("have no words to mask the place by")
NAMED = ControlExclusion("still name the place once masked")
UNSWAPPED = ControlExclusion("have no answer for another place")
ALIKE = ControlExclusion("have the same answer in both places")
NOT_ENGLISH = ControlExclusion("are in a language that this control has no words in")
_OPTIONS = "abcdefghijklmnopqrstuvwxyz"


def controls_of_rung(rung: str, pack_of: PackOf) -> Mapping[Control, ControlSpec]:
    """Controls of a rung: its items without their place, with another, and with their norm told before."""
    words = _preface_prompt()
    preface = ControlSpec(lambda setting: _with_norms(pack_of(setting), words), prompts=(words,))
    if rung == "live":
        return {"told": preface}
    unit = "bundle" if rung == "apply" else "norm"  # a norm with all its questions or talks
    masked = ControlSpec(lambda setting: _masking(pack_of(setting)), lambda about: norm_of(about.unit), unit)
    if rung not in {"know", "judge"}:
        return {"masked": masked, "told": preface}
    swapped = ControlSpec(lambda setting: _swapping(pack_of(setting)), unit="question")
    # A statement that is true in both places says nothing, and those beside it do.
    misplaced = ControlSpec(lambda setting: _misplacing(pack_of(setting)), lambda about: about.item, unit="item")
    return {"masked": masked, "swapped": swapped, "misplaced": misplaced, "told": preface}


def _masking(pack: Pack) -> PutOtherwise:
    """Items in words that hide their place, by the tables of a pack."""
    tables = {each.norm.id: each.masked for each in pack.norms} | {each.id: each.masked for each in pack.bundles}
    own = {each.norm.place: each.place_name for each in pack.norms if each.place_name}

    def put(item: MaskableRung) -> MaskableRung | ControlExclusion:
        about = item.about
        table = tables.get(about.cluster if isinstance(item, NormedItem) else norm_of(about.unit), {})
        if not table or about.place is None:
            return UNMASKED
        masked = _masked(item, PlaceMask({place(about.place).name: HIDDEN, **table}))
        if named_in(_seen(masked), about.place):  # in words that the table is not for, such as the group's or the norm
            masked = _masked(masked, _Rules(about.place))
        seen, name = _seen(masked), own.get(about.place, "")
        return NAMED if named_in(seen, about.place) or (name and name in seen) else masked

    return put


class _Rules(Struct, frozen=True):
    """Replacements of a place by rules, in words that its norm has no table for."""

    place: str

    def __call__(self, text: str) -> str:
        found = hidden(text, self.place)
        return found if isinstance(found, str) else text

    def slots(self, words: Mapping[str, str]) -> dict[str, str]:
        """The same for all that fills a prompt."""
        return {name: self(text) for name, text in words.items()}


Hide = PlaceMask | _Rules


def _masked(item: MaskableRung, mask: Hide) -> MaskableRung:
    match item:
        case ClosedItem():
            return replace(item, words=_filled(mask, item), control="masked")
        case ExplainedItem():
            held = _held(mask, item.held_against)
            return replace(item, words=mask.slots(item.words), held_against=held, control="masked")
        case NormedItem():
            return replace(item, words=mask.slots(item.words), question=mask(item.question), control="masked")
        case DialogueItem():
            held = _held(mask, item.held_against)
            return replace(
                item,
                antagonist=_part(mask, item.antagonist),
                subject=_part(mask, item.subject),
                held_against=held,
                script={role: tuple(_line(mask, line) for line in lines) for role, lines in item.script.items()},
                control="masked",
            )


def _filled(mask: Hide, item: ClosedItem, there: str = "") -> tuple[str, ...]:
    """The words of a question masked; the place of its prompt is another where one is named."""
    words = dict(zip(item.form.slots, item.words, strict=True))
    found = mask.slots(words)
    if there:
        found[PLACE] = words[PLACE].replace(place(item.about.place or "").name, there, 1)
    return tuple(found.values())


def _held(mask: Hide, held: Mapping[str, str]) -> dict[str, str]:
    """Words that judges compare an answer with: the norm and its place as they are, else the subject's names."""
    return {name: text if name in {PLACE, "norm"} else mask(text) for name, text in held.items()}


def _part(mask: Hide, part: DialogueRole) -> DialogueRole:
    return replace(part, name=mask(part.name), words=mask.slots(part.words))


def _line(mask: Hide, line: ScriptedTurn) -> ScriptedTurn:
    return replace(line, ways={outcome: mask(text) for outcome, text in line.ways.items()})


def _seen(item: MaskableRung) -> str:
    """All that the subject sees of an item, before and in the course of it, but for the words of its prompt."""
    match item:
        case ClosedItem():
            return "\n".join(item.words)
        case DialogueItem():
            return "\n".join(chain(item.subject.words.values(), item.antagonist.words.values()))
        case _:
            return "\n".join(item.words.values())


@cache
def _preface_prompt() -> Prompt:
    return Prompt.read(HERE / "told.prompt.md")


SOMETIMES = "People there say that there are situations in which one may act otherwise."
"""What is told of a norm that people may act against."""


def norm_in_words(norm: Norm) -> str:
    """A norm as the subject is told it: its statement, of whom it is said, and whether there are exceptions."""
    of_whom = f"This is said of {norm.subgroup}." if norm.subgroup else ""
    return " ".join(filter(None, (norm.statement, of_whom, SOMETIMES if norm.strictness == "sometimes" else "")))


def _with_norms(pack: Pack, words: Prompt) -> PutOtherwise:
    """Items after the norms that they are about, by their statements in a pack."""
    norms = {entry.norm.id: entry.norm for entry in pack.norms}

    def put(item: LadderItem) -> LadderItem | ControlExclusion:
        if pack.language != ENGLISH:
            return NOT_ENGLISH
        about = _norms_of(item)
        lines = "\n".join(f"- {norm_in_words(norms[name])}" for name in about)
        preface = words.render(place=place(norms[about[0]].place).name, norms=lines)
        if isinstance(item, DialogueItem):
            return replace(item, subject=replace(item.subject, preface=preface), control="told")
        return replace(item, preface=preface, control="told")

    return put


def _norms_of(item: LadderItem) -> tuple[str, ...]:
    """The norms that an item is about, each once."""
    match item:
        case NormedItem():
            held = tuple(norm.about for norm in item.norms)
        case DayItem():
            held = item.held
        case _:
            held = (item.about,)
    return tuple(dict.fromkeys(norm_of(about.unit) for about in held))


def _misplacing(pack: Pack) -> PutOtherwise:
    """Items that name the place where their norm differs, and are otherwise as they are, with what is right there.

    The slot of the place has that place alone, and in the words only names of the own place and its people change, so
    that towns, people's names and words of the language still speak of the own place.
    """
    elsewhere = _elsewhere(pack)

    def put(item: ClosedItem) -> ClosedItem | ControlExclusion:
        found = elsewhere(item)
        if isinstance(found, ControlExclusion):
            return found
        entry, swapped, gold = found
        if gold == item.gold:
            return ALIKE
        own, there = entry.norm.place, name_with_article(swapped.place)
        names = {word: there if text == HIDDEN else text for word, text in entry.masked.items() if named_in(word, own)}
        mask = PlaceMask({**names, place(own).name: there})
        words = mask.slots(dict(zip(item.form.slots, item.words, strict=True)))
        words[PLACE] = place(swapped.place).name
        if named_in("\n".join(words.values()), own):
            return NAMED
        return replace(item, words=tuple(words.values()), gold=gold, control="misplaced", swapped_place=swapped.place)

    return put


class _Elsewhere(NamedTuple):
    """Norm of an item, the place where that differs, and the right answer there."""

    entry: PackNorm
    swapped: SwappedPlace
    gold: str


def _elsewhere(pack: Pack) -> Callable[[ClosedItem], _Elsewhere | ControlExclusion]:
    """Finds what is right of an item elsewhere, or says why it cannot be asked so."""
    right = {
        name: _Elsewhere(entry, entry.swapped, gold)
        for entry in pack.norms
        if entry.swapped is not None
        for name, gold in _golds(entry, entry.swapped)
    }

    def find(item: ClosedItem) -> _Elsewhere | ControlExclusion:
        return NOT_ENGLISH if pack.language != ENGLISH else right.get(item.about.item, UNSWAPPED)

    return find


def _swapping(pack: Pack) -> PutOtherwise:
    """Items asked of the place where their norm differs, with what is right there."""
    elsewhere = _elsewhere(pack)

    def put(item: ClosedItem) -> ClosedItem | ControlExclusion:
        found = elsewhere(item)
        if isinstance(found, ControlExclusion):
            return found
        entry, swapped, gold = found
        there, name = name_with_article(swapped.place), place(swapped.place).name
        named = {word: there if text == HIDDEN else text for word, text in entry.masked.items()}
        mask = PlaceMask({**named, place(entry.norm.place).name: there})
        words = _filled(mask, item, there=name)
        if named_in("\n".join(words), entry.norm.place):
            return NAMED
        return replace(item, words=words, gold=gold, control="swapped", swapped_place=swapped.place)

    return put


def _golds(entry: PackNorm, swapped: SwappedPlace) -> Iterator[tuple[str, str]]:
    """The right answer to each item of a norm in the other place, by the item's name."""
    for (unit, known), letters in zip(parallel("know", entry.norm.id, entry.know), swapped.know, strict=False):
        true = set(letters.split("|"))
        for number, _ in enumerate(known.options, start=1) if letters != UNKNOWN else ():
            yield f"{unit}-{number}", "true" if _OPTIONS[number - 1] in true else "false"
    for (unit, _), label in zip(parallel("judge", entry.norm.id, entry.judge), swapped.judge, strict=False):
        if label != UNKNOWN:
            yield unit, label
