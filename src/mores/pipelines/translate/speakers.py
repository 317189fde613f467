"""Speakers' check of a translated pack: a project of the studio, and what their answers say of each norm.

pack in English, pack in the language ─▶ an item for each part of a norm, the two line by line ─▶ `design.toml` and
`items.csv` for the studio ─▶ answers ─▶ which norms hold as they are, and what speakers would write otherwise.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from mores.core.codec import digest, read_text
from mores.core.errors import InputError
from mores.core.table import sheet_for_people
from mores.norms.pack import Pack, PackHeader
from mores.norms.places import place
from mores.pipelines.form_answers import FormAnswer, read_form_answers
from mores.pipelines.review_sheets import LABELS, ChecklistReview, Checkpoint, LabelTable, checklist_reviewed
from mores.pipelines.translate.languages import target_language
from mores.pipelines.translate.texts import PARTS, PartText, texts_of
from mores.pipelines.translate.units import TranslationUnit, units_of

DESIGN, ITEMS = "design.toml", "items.csv"
ASPECTS = ("meaning", "language", "respect")
"""Questions of the form that a part has to pass, by their names there."""
BETTER = "better"
"""Question of the form that is answered in a speaker's own words."""
UNSURE = "I cannot tell"
ANSWERS = {"Yes": LABELS[0], "No": LABELS[1], UNSURE: None}
"""Answers of the form to each aspect, and the label that each is; none of one who cannot tell."""
_KINDS = {
    "statement": "Norm", "negation": "Its opposite", "subgroup": "Whose norm", "question": "Question", "text": "Answer",
    "story": "Scene", "scene": "Scene", "reference": "Explanation", "elements": "Point", "thin": "Weak explanation",
    "name": "Name", "who": "Who it is", "proposal": "Proposal", "goal": "Goal", "task": "Task", "day": "Aim of the day",
    "satisfied": "Advice", "neutral": "Advice", "violated": "Advice",
}  # fmt: skip
"""What each text is, for speakers, by its key in a table; whether an answer or advice is right stands in none."""
_CODE = 8
"""Letters of the digest by which an answer is known to be about the texts as they are."""


class TranslatedPart(Struct, frozen=True, kw_only=True):
    """One part of a norm or of an open question, which speakers read line by line beside the English one."""

    unit: str
    part: str
    place: str
    english: tuple[str, ...]
    translation: tuple[str, ...]

    @property
    def id(self) -> str:
        """Name of its item: other texts have another."""
        return f"{self.unit} {self.part} {digest([self.english, self.translation], length=_CODE)}"


def parts_to_check(english: Pack, translated: Pack, header: PackHeader) -> tuple[TranslatedPart, ...]:
    """The parts of all norms and open questions of a translation, in the order of their ids.

    Args:
        english: The pack that was translated.
        translated: The translation, which has norms of that pack alone.
        header: Header of the translation.

    Raises:
        InputError: it is no translation, one of another pack, or has other items than the norm in English.
    """
    if not header.translated_from:
        raise InputError(f"pack {header.id} is no translation; expected one made by mores build translate.")
    if header.translated_from != english.fingerprint:
        raise InputError(
            f"pack {header.id} was translated from a pack with the fingerprint {header.translated_from[:12]}; "
            f"{english.id} {english.version} has {english.fingerprint[:12]}. Name its pack by --english FOLDER."
        )
    known = {unit.id: unit for unit in units_of(english, english.norms)}
    units = units_of(translated, translated.norms)
    if strangers := [unit.id for unit in units if unit.id not in known]:
        raise InputError(f"pack {header.id}: {strangers[0]} is no norm of {english.id} {english.version}.")
    ordered = sorted(units, key=lambda unit: unit.id)
    return tuple(part for unit in ordered for part in parts_of(known[unit.id], unit.table))


def parts_of(unit: TranslationUnit, translated: Mapping[str, Any]) -> Iterator[TranslatedPart]:
    """The parts of one unit, with those of its table in the language.

    Raises:
        InputError: the two have other texts.
    """
    for part in PARTS:
        before, after = texts_of(unit.table, part), texts_of(translated, part)
        if [text.path for text in before] != [text.path for text in after]:
            raise InputError(
                f"{unit.id}: {part} has {len(after)} texts in the language and {len(before)} in English; expected the "
                "same items in both."
            )
        if after:
            yield TranslatedPart(
                unit=unit.id, part=part, place=unit.place,
                english=tuple(f"{_KINDS[_kind(text)]}: {_in_a_line(text.words)}" for text in before),
                translation=tuple(_in_a_line(text.words) for text in after),
            )  # fmt: skip


def _kind(text: PartText) -> str:
    """Key of a text in its table, such as question; of one in a list that of the list."""
    return next(key for key in reversed(text.path) if isinstance(key, str))


def _in_a_line(words: str) -> str:
    return " ".join(words.split())


def project_files(parts: Sequence[TranslatedPart], tag: str) -> dict[str, bytes]:
    """The design of a studio's project in which speakers of a language check parts, and its items."""
    target = target_language(tag)
    homes = sorted({part.place for part in parts})
    named = ", ".join(place(home).name for home in homes) if len(homes) < 4 else f"{len(homes)} places"
    design = read_text(Path(__file__).parent / "speakers.toml")
    for slot, text in {"{language}": target.name, "{tag}": tag, "{places}": named}.items():
        design = design.replace(slot, text)
    rows = [(part.id, part.part, "\n".join(part.english), "\n".join(part.translation)) for part in parts]
    return {DESIGN: design.encode(), ITEMS: sheet_for_people(("id", "part", "english", "translation"), rows)}


class SpeakerRemark(NamedTuple):
    """Remark of one speaker on a part, with his or her answers to each aspect."""

    unit: str
    part: str
    person: str
    meaning: str
    language: str
    respect: str
    better: str


class SpeakersCheck(Struct, frozen=True, kw_only=True):
    """Result of a check by speakers.

    `sound` are the norms and open questions of which most speakers find every part right in every aspect; `at_fault`
    those of which they do not, or are as many for as against; what nobody read is in neither. `checked` is how many
    speakers read each part of the sound ones at least. `outdated` answers are about texts that were changed since.
    """

    speakers: int
    checked: int
    parts: int
    sound: tuple[str, ...]
    at_fault: tuple[str, ...]
    unread: tuple[str, ...]
    outdated: int
    review: ChecklistReview
    remarks: tuple[SpeakerRemark, ...]


def check_of(parts: Sequence[TranslatedPart], paths: Sequence[Path]) -> SpeakersCheck:
    """The check of a translation by the answers in some exports.

    Raises:
        InputError: a file cannot be read or is no export of such a project, an answer is none that the form offers or
            is given twice, or no answer is about the parts as they are.
    """
    known = {part.id: part for part in parts}
    stems = {part.id.rpartition(" ")[0] for part in parts}
    given: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    outdated = set()
    for answer in (each for path in paths for each in read_form_answers(path, "a check by speakers")):
        if answer.item.rpartition(" ")[0] not in stems:
            raise InputError(f"{answer.where}: no part '{answer.item}'; name the pack that speakers checked.")
        if answer.item not in known:
            outdated.add((answer.item, answer.person))
            continue
        replies = given[answer.item, answer.person]
        if answer.question in replies:
            whose = f"'{answer.person}' to {answer.question} of {answer.item}"
            raise InputError(f"{answer.where}: a second answer of {whose}; expected one.")
        replies[answer.question] = _checked(answer)
    if not given:
        count = f"{len(outdated):,} are about texts that were changed since"
        raise InputError(f"{paths[0]}: no answer about the texts as they are; {count}.")
    return _summed(parts, given, len(outdated))


def _checked(answer: FormAnswer) -> str:
    if answer.question in ASPECTS and answer.answer not in ANSWERS:
        raise InputError(f"{answer.where}: answer is '{answer.answer}'; expected {', '.join(ANSWERS)}.")
    return answer.answer


def _summed(
    parts: Sequence[TranslatedPart], given: Mapping[tuple[str, str], Mapping[str, str]], outdated: int
) -> SpeakersCheck:
    people = sorted({person for _, person in given})
    column = {person: number for number, person in enumerate(people)}
    points = [
        Checkpoint(id=f"{part.id} {aspect}", scenario=part.unit, aspect=aspect, expected=LABELS[0])
        for part in parts for aspect in ASPECTS
    ]  # fmt: skip
    row = {point.id: number for number, point in enumerate(points)}
    table = np.full((len(points), len(people)), np.nan)
    for (item, person), replies in given.items():
        for aspect in ASPECTS:
            label = ANSWERS.get(replies.get(aspect, UNSURE))
            if label is not None:
                table[row[f"{item} {aspect}"], column[person]] = LABELS.index(label)
    labels = LabelTable(table=table, people=tuple(people))
    right = labels.majority == LABELS.index("yes")
    readers = np.isfinite(table).sum(1)
    of_unit: dict[str, list[int]] = defaultdict(list)
    for number, point in enumerate(points):
        of_unit[point.scenario].append(number)
    unread = {unit for unit, rows in of_unit.items() if not readers[rows].all()}
    wrong = {unit for unit, rows in of_unit.items() if any(readers[at] and not right[at] for at in rows)}
    sound = [unit for unit in of_unit if unit not in unread | wrong]
    return SpeakersCheck(
        speakers=len(people),
        checked=min((int(readers[of_unit[unit]].min()) for unit in sound), default=0),
        parts=len({item for item, _ in given}),
        sound=tuple(sound),
        at_fault=tuple(sorted(wrong)),
        unread=tuple(sorted(unread - wrong)),
        outdated=outdated,
        review=checklist_reviewed(points, labels),
        remarks=tuple(_remarks(parts, given)),
    )


def _remarks(
    parts: Sequence[TranslatedPart], given: Mapping[tuple[str, str], Mapping[str, str]]
) -> Iterator[SpeakerRemark]:
    """Remarks, and answers that something is wrong, in the order of the parts."""
    at = {part.id: number for number, part in enumerate(parts)}
    for (item, person), replies in sorted(given.items(), key=lambda entry: (at[entry[0][0]], entry[0][1])):
        found = [replies.get(aspect, "") for aspect in ASPECTS]
        better = replies.get(BETTER, "").strip()
        if better or "No" in found:
            part = parts[at[item]]
            meaning, language, respect = found
            yield SpeakerRemark(part.unit, part.part, person, meaning, language, respect, better)
