"""The ladder in the language of its pack: prompts as siblings of the English ones, and the words of each label.

A pack says its language once; items of another pack are asked in the same run by no benchmark. Judges are told in
English what to do, whatever the language of the answer is: their prompts are named in the run.
"""

from functools import cache
from pathlib import Path

from mores.core.card import Variant
from mores.core.codec import build, read_toml
from mores.core.errors import InputError
from mores.core.languages import ANY_LANGUAGE, ENGLISH
from mores.core.prompt import Prompt, ReadPrompt
from mores.norms.pack import Pack

HERE = Path(__file__).parent
FILE = HERE / "languages.toml"


@cache
def label_words() -> dict[str, dict[str, tuple[str, ...]]]:
    """Words of each label by language, the one that is asked for first; English has the labels themselves."""
    return build(dict[str, dict[str, tuple[str, ...]]], read_toml(FILE), where=FILE.name)


def languages() -> tuple[str, ...]:
    """Languages that the ladder can be asked in."""
    return (ENGLISH, *sorted(label_words()))


def prompts_by_language(name: str, words: ReadPrompt) -> dict[str, Prompt]:
    """Prompt of a rung in each language."""
    return {tag: words(HERE / (f"{name}.prompt.md" if tag == ENGLISH else f"{name}.{tag}.prompt.md"))
            for tag in languages()}  # fmt: skip


def spellings(language: str, *labels: str) -> dict[str, str]:
    """Labels by the words that an answer in a language gives for them."""
    if language == ENGLISH:
        return {label: label for label in labels}
    return {word: label for label in labels for word in label_words()[language][label]}


def asked_for(language: str, label: str) -> str:
    """Word of a label that a question in a language asks for."""
    return label if language == ENGLISH else label_words()[language][label][0]


def language_of_pack(pack: Pack, variant: Variant) -> str:
    """Language in which a pack is asked.

    Raises:
        InputError: the ladder has no prompts in it, or not in the wording or order that a run asks in.
    """
    if pack.language not in languages():
        known = ", ".join(languages())
        raise InputError(f"Pack {pack.id}: its language is {pack.language}; the ladder has prompts in {known}.")
    if pack.language != ENGLISH and (variant.wording > 1 or variant.order > 1):
        raise InputError(f"Pack {pack.id}: its language is {pack.language}; other wordings and orders are in English.")
    return pack.language


def spoken_in(pack: Pack) -> frozenset[str]:
    """Languages of the prompts that a pack is asked with."""
    return frozenset({pack.language} if pack.language == ENGLISH else {pack.language, ANY_LANGUAGE})
