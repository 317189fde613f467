"""The pipeline of translations: a pack's norms put into another language, part by part, and read back by another model.

norm or open question ─▶ glossary of the words that give its place away ─▶ its parts, each translated, translated back,
compared, and its keys found again; written anew twice at most ─▶ a pack in the language, and a project in which its
speakers check it
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

import msgspec

from mores.benchmarks.ladder.languages import languages
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.prompt import prompts_in
from mores.models.cast import Cast
from mores.models.registry import is_simulated
from mores.norms.pack import Pack, load_pack
from mores.norms.places import place
from mores.pipelines.funnel import Kept, KeptOrDropped, counted
from mores.pipelines.ladder.release import pack_file
from mores.pipelines.norms.sources import OURS
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.translate.draft import (
    BackComparison,
    BackTranslation,
    SceneVerdict,
    TranslatedTexts,
    TrueStatements,
    WordList,
)
from mores.pipelines.translate.languages import TargetLanguage, target_language
from mores.pipelines.translate.speakers import parts_of, project_files
from mores.pipelines.translate.texts import PARTS, PartText, TextPath, stands_in, texts_of, with_texts
from mores.pipelines.translate.units import KeyedItem, TranslationUnit, units_of
from mores.pipelines.unit_context import (
    CHECKER,
    REPAIRS,
    TRIES,
    WRITER,
    PromptUse,
    UnitContext,
    all_of,
    check_counts,
    checked_roles,
    estimated_calls,
)

prompt = prompts_in(Path(__file__).parent)
PROMPTS = ("glossary", "texts", "back", "compare", "truths", "label")
PACK, SPEAKERS = "pack", "speakers"
"""Folders of the translation, and of the project in which its speakers check it."""
GLOSSARY = "glossary"
STAGES = (GLOSSARY, *PARTS)
REJECTED = "the checker finds it changed"


def asked_of(unit: "TranslationUnit") -> dict[str, tuple[PromptUse, ...]]:
    """Prompts of each role about a unit, where every reply can be used and no part is written anew."""
    parts = sum(bool(texts_of(unit.table, part)) for part in PARTS)
    questions = sum(key.part == "questions" for key in unit.keys)
    return {
        WRITER: (PromptUse(GLOSSARY), PromptUse("texts", parts, 2_000)),
        CHECKER: (
            PromptUse("back", parts, 2_000), PromptUse("compare", parts, 4_000),
            PromptUse("truths", questions, 600), PromptUse("label", len(unit.keys) - questions, 600),
        ),
    }  # fmt: skip


class PartTranslation(NamedTuple):
    """A part in the language, read back, with the masks that its words need.

    `doubtful` are items whose key the checker finds neither in the language nor in English: no fault of translation.
    """

    texts: dict[TextPath, str]
    read_back: tuple[str, ...]
    masks: dict[str, str]
    doubtful: int
    rewritten: int


class TranslatedUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A unit in the language, by part."""

    unit: TranslationUnit
    parts: dict[str, PartTranslation]

    @property
    def table(self) -> dict[str, Any]:
        """Its table in the language."""
        texts = {path: words for part in self.parts.values() for path, words in part.texts.items()}
        masks = {form: instead for part in self.parts.values() for form, instead in part.masks.items()}
        return with_texts(self.unit.table, texts) | ({"masked": masks} if masks else {})


def translate_pipeline(
    norms: str, tag: str, roles: Mapping[str, str], *, places: Sequence[str] = (), limit: int | None = None
) -> Pipeline[TranslationUnit, TranslatedUnit]:
    """The pipeline of translations of a pack (a folder or file, or `pack` for the bundled one) into a language.

    `tag` is a BCP 47 tag; `places` are those whose norms are translated, all where none is named, and `limit` is how
    many norms at most, in the order of their ids. Open questions come along where all of their norms do.

    Raises:
        InputError: the pack, the language or a place is not known, the pack is in another language than English, or
            the roles cannot be so.
    """
    target, pack = target_language(tag), load_pack(None if norms == "pack" else Path(norms))
    if tag not in languages():
        raise InputError(f"--language {tag}: the ladder has no prompts in it; it has some in {', '.join(languages())}.")
    if pack.language != "en":
        raise InputError(f"{norms}: its language is {pack.language}; expected a pack in English.")
    check_counts(limit=limit)
    models = checked_roles(roles, (WRITER, CHECKER))
    chosen = [entry for entry in pack.norms if not places or entry.norm.place in places][:limit]
    if not chosen:
        raise InputError(f"{norms}: no norm of {', '.join(places)}; expected places of the pack.")
    name = f"pack {pack.id} {pack.version}"
    return Pipeline[TranslationUnit, TranslatedUnit](
        name="translate",
        stages=STAGES,
        units=units_of(pack, chosen),
        make=lambda unit, cast: _build(unit, target, cast),
        estimate=lambda unit: estimated_calls(prompt, str(unit.table), asked_of(unit)),
        release=lambda built: release(built, pack, target, simulated=any(map(is_simulated, models.values()))),
        roles=models,
        prompts=tuple(map(prompt, PROMPTS)),
        made_from={name: pack.fingerprint},
        settings={"language": tag, "places": list(places), "limit": limit},
        licences={name: OURS} if norms == "pack" else {},
    )


async def _build(unit: TranslationUnit, target: TargetLanguage, cast: Cast) -> KeptOrDropped[TranslatedUnit]:
    """One unit in the language, or where its translation ended."""
    slots = {"place": place(unit.place).name, "language": target.name}
    context = UnitContext(unit=unit, slots=slots, voice=cast, prompt=prompt)
    glossary = await _glossary(context.at(GLOSSARY), target)
    parts = [part for part in PARTS if texts_of(unit.table, part)]
    found = await all_of(*(_accepted(context.at(part), target, glossary) for part in parts))
    return Kept(TranslatedUnit(unit=unit, parts=dict(zip(parts, found, strict=True))))


async def _glossary(context: UnitContext[TranslationUnit], target: TargetLanguage) -> WordList:
    """Translations of the words that give the place away; nothing is asked where no text has any."""
    unit = context.unit
    words = unit.words
    if not words:
        return WordList(status="ok")
    listed = "\n".join(f"- {word} (in its place: {unit.hides[word]})" for word in words)
    planted = {"entries": [
        {"word": word, "translation": " ".join([target.sample] * number), "instead": target.sample}
        for number, word in enumerate(words, start=2)
    ]}  # fmt: skip
    return await context.tried(
        lambda context: context.ask(
            "glossary", WRITER, WordList, {"words": listed}, lambda written: written.wrong(words), planted
        )
    )


async def _accepted(
    context: UnitContext[TranslationUnit], target: TargetLanguage, glossary: WordList
) -> PartTranslation:
    """A part in the language, written until the checker finds nothing changed; its writer is told what was."""
    part, table, fault = context.stage, context.unit.table, ""
    texts = texts_of(table, part)
    for turn in range(REPAIRS + 1):
        # Every turn has numbers of its own, or the journal would give back the reply that was rejected.
        asked = context.after(turn * TRIES, fault)
        written = await asked.tried(lambda asked: _write(asked, texts, target, glossary))
        checked = context.after(turn)
        read_back = await _read_back(checked, texts, written)
        fault = (await _compare(checked, texts, read_back)).fault
        translated = {text.path: words for text, words in zip(texts, written.texts, strict=True)}
        doubtful = 0
        if not fault:
            fault, doubtful = await _key_faults(checked, with_texts(table, translated))
        if not fault:
            return PartTranslation(translated, read_back, written.masks(glossary), doubtful, turn)
    raise context.ended(REJECTED, fault)


async def _write(
    context: UnitContext[TranslationUnit], texts: Sequence[PartText], target: TargetLanguage, glossary: WordList
) -> TranslatedTexts:
    """One translation of a part, by the glossary."""
    here = [each for each in glossary.entries if any(stands_in(each.word, text.words) for text in texts)]
    values = {
        "texts": _numbered(text.words for text in texts),
        "glossary": "\n".join(f"- {each.word}: {each.translation}" for each in here) or "(no words)",
    }
    planted = {"texts": [_planted(text.words, number, target, glossary) for number, text in enumerate(texts, start=1)]}
    own = WordList(status="ok", entries=tuple(here))
    return await context.ask(
        "texts", WRITER, TranslatedTexts, values,
        lambda written: written.wrong(texts, own, target, context.unit.place), planted, part=context.stage,
    )  # fmt: skip


def _planted(text: str, number: int, target: TargetLanguage, glossary: WordList) -> str:
    """A simulated translation: a word of the language, its number in letters, and what has to stand in it."""
    held = [each.translation for each in glossary.entries if stands_in(each.word, text)]
    digits = [word for word in re.findall(r"\d+", text) if not any(word in each for each in held)]
    return " ".join((target.sample, *[target.sample] * (number % 7), *held, *digits))


async def _read_back(
    context: UnitContext[TranslationUnit], texts: Sequence[PartText], written: TranslatedTexts
) -> tuple[str, ...]:
    """The texts in English again."""

    def wrong(reply: BackTranslation) -> str:
        count = len(reply.texts)
        return "" if count == len(texts) else f"{count} texts; expected {len(texts)}, one for each."

    values, planted = {"texts": _numbered(written.texts)}, {"texts": [text.words for text in texts]}
    return (await context.ask("back", CHECKER, BackTranslation, values, wrong, planted, part=context.stage)).texts


async def _compare(
    context: UnitContext[TranslationUnit], texts: Sequence[PartText], read_back: Sequence[str]
) -> BackComparison:
    """Differences of the texts and what they were translated back to."""
    pairs = (
        f"{number}. first: {text.words}\n   second: {back}"
        for number, (text, back) in enumerate(zip(texts, read_back, strict=True), start=1)
    )
    planted = {"texts": [{"number": number} for number in range(1, len(texts) + 1)]}
    return await context.ask(
        "compare", CHECKER, BackComparison, {"pairs": "\n".join(pairs)},
        lambda reply: reply.incomplete(len(texts)), planted, part=context.stage,
    )  # fmt: skip


async def _key_faults(context: UnitContext[TranslationUnit], table: Mapping[str, Any]) -> tuple[str, int]:
    """The first item whose key the checker finds in English alone, and the number of those it finds in neither."""
    doubtful = 0
    for item in context.unit.keys:
        if item.part != context.stage:
            continue
        found = await _found_key(context, item, table, "")
        if set(found) == set(item.right):
            continue
        if set(await _found_key(context, item, context.unit.table, "/en")) == set(item.right):
            where = " ".join(str(each + 1) if isinstance(each, int) else each for each in item.path)
            right, other = (", ".join(each) or "none" for each in (item.right, found))
            return f"{where}: right is {right}; in the language {other} was found right.", doubtful
        doubtful += 1
    return "", doubtful


async def _found_key(
    context: UnitContext[TranslationUnit], item: KeyedItem, table: Mapping[str, Any], version: str
) -> tuple[str, ...]:
    """Answers to an item that the checker finds right by the norm, in the words of a table."""
    asked: Any = table
    for key in item.path:
        asked = asked[key]
    part = "/".join(map(str, item.path)) + version
    if item.part == "scenes":
        values = {"norm": item.rests_on, "story": asked["story"], "question": asked["question"]}
        label: dict[str, object] = {"label": item.right[0]}
        return ((await context.ask("label", CHECKER, SceneVerdict, values, planted=label, part=part)).label,)
    options = [option["text"] for option in asked["options"]]
    letters = ascii_lowercase[: len(options)]
    listed = "\n".join(f"{letter}. {text}" for letter, text in zip(letters, options, strict=True))
    planted: dict[str, object] = {"true": list(item.right)}
    values = {"norm": item.rests_on, "question": asked["question"], "statements": listed}

    def wrong(reply: TrueStatements) -> str:
        strange = sorted(set(reply.true) - set(letters))
        return f'"{strange[0]}" is no letter of a statement.' if strange else ""

    return (await context.ask("truths", CHECKER, TrueStatements, values, wrong, planted, part=part)).true


def _numbered(texts: Iterable[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def release(built: Sequence[TranslatedUnit], pack: Pack, target: TargetLanguage, *, simulated: bool) -> Release:
    """The pack in the language, the project in which speakers of it check it, and what the datasheet says."""
    norms = sorted((each for each in built if each.unit.keys), key=lambda each: each.unit.id)
    kept = {each.unit.id for each in norms}
    # An open question is no use where one of its norms was dropped.
    bundles = [
        each for each in built
        if not each.unit.keys and all(norm["id"] in kept for norm in each.unit.table["norm"])
    ]  # fmt: skip
    tables = [each.table for each in (*norms, *bundles)]
    version = digest(tables, length=12)
    name = f"{pack.name}, in {target.name}{' (simulated)' if simulated else ''}"
    header = {
        "id": f"{pack.id}-{target.tag}", "name": name, "version": version, "language": target.tag,
        "translated_from": pack.fingerprint,
    }  # fmt: skip
    regions = {entry.norm.place: entry.region for entry in pack.norms}
    files = {f"{PACK}/pack.toml": pack_file(header)}
    for home, rows in groupby(norms, key=lambda each: each.unit.place):
        named = {"region": regions.get(home), "place_name": target.country(home)}
        head = {"place": home} | {name: value for name, value in named.items() if value}
        own = [each.table for each in bundles if each.unit.place == home]
        files[f"{PACK}/{home}.toml"] = pack_file({**head, "norm": [each.table for each in rows], "bundle": own})
    parts = [part for each in (*norms, *bundles) for part in each.parts.values()]
    facts: dict[str, object] = {
        "language": target.tag,
        "version": version,
        "norms": len(norms),
        "open_questions": len(bundles),
        "by_place": counted(each.unit.place for each in norms),
        "texts": sum(len(part.texts) for part in parts),
        "rewritten": sum(part.rewritten for part in parts),
        "doubtful_keys": sum(part.doubtful for part in parts),
        "checked_by_speakers": 0,
    }
    checked = [part for each in (*norms, *bundles) for part in parts_of(each.unit, each.table)]
    project = project_files(checked, target.tag) if checked else {}
    files |= {f"{SPEAKERS}/{name}": content for name, content in project.items()}
    return Release(files=files, facts=facts, gated=PACK if norms else "")
