"""Languages by their BCP 47 tags: name, scripts and direction of each, and the script that a text is in.

Scripts have their ISO 15924 codes. The script of a text tells languages apart only where they are written otherwise:
Korean from English, but not Indonesian from English.
"""

import unicodedata
from collections import Counter
from functools import cache
from typing import Literal

from msgspec import Struct

from mores.core.errors import InputError
from mores.core.prompt import LANGUAGE_TAG

Direction = Literal["ltr", "rtl"]

ENGLISH, ANY_LANGUAGE = "en", "mul"
"""Tags; the second is of words that go with items in whichever language but English."""
LATIN = "Latn"
_RIGHT_TO_LEFT = frozenset({"Adlm", "Arab", "Hebr", "Nkoo", "Syrc", "Thaa"})
_KNOWN: dict[str, tuple[str, str]] = {
    "am": ("Amharic", "Ethi"), "ar": ("Arabic", "Arab"), "as": ("Assamese", "Beng"), "az": ("Azerbaijani", LATIN),
    "bg": ("Bulgarian", "Cyrl"), "bn": ("Bengali", "Beng"), "el": ("Greek", "Grek"), "en": ("English", LATIN),
    "es": ("Spanish", LATIN), "eu": ("Basque", LATIN), "fa": ("Persian", "Arab"), "fr": ("French", LATIN),
    "ga": ("Irish", LATIN), "ha": ("Hausa", LATIN), "he": ("Hebrew", "Hebr"), "hi": ("Hindi", "Deva"),
    "id": ("Indonesian", LATIN), "ja": ("Japanese", "Hani Kana"), "ko": ("Korean", "Hang"), "ms": ("Malay", LATIN),
    "su": ("Sundanese", LATIN), "sv": ("Swedish", LATIN), "sw": ("Swahili", LATIN), "ta": ("Tamil", "Taml"),
    "tl": ("Tagalog", LATIN), "ur": ("Urdu", "Arab"), "yo": ("Yoruba", LATIN), "zh": ("Chinese", "Hani"),
}  # fmt: skip
"""English name, and the scripts that it is written in, of each language that anything here is asked in."""
_SCRIPTS = {
    "ARABIC": "Arab", "ARMENIAN": "Armn", "BENGALI": "Beng", "BOPOMOFO": "Hani", "CJK": "Hani", "CYRILLIC": "Cyrl",
    "DEVANAGARI": "Deva", "ETHIOPIC": "Ethi", "GEORGIAN": "Geor", "GREEK": "Grek", "GUJARATI": "Gujr",
    "GURMUKHI": "Guru", "HANGUL": "Hang", "HEBREW": "Hebr", "HIRAGANA": "Kana", "KANNADA": "Knda", "KATAKANA": "Kana",
    "KHMER": "Khmr", "LAO": "Laoo", "LATIN": LATIN, "MALAYALAM": "Mlym", "MYANMAR": "Mymr", "NKO": "Nkoo",
    "ORIYA": "Orya", "SINHALA": "Sinh", "SYRIAC": "Syrc", "TAMIL": "Taml", "TELUGU": "Telu", "THAANA": "Thaa",
    "THAI": "Thai", "TIBETAN": "Tibt",
}  # fmt: skip
"""Script by the first word of a letter's name in Unicode."""


class Language(Struct, frozen=True, kw_only=True):
    """A language by its tag: its English name and its scripts, none where it is none that is known here."""

    tag: str
    name: str
    scripts: tuple[str, ...]

    @property
    def direction(self) -> Direction:
        """Direction in which it is read."""
        return "rtl" if _RIGHT_TO_LEFT.intersection(self.scripts) else "ltr"

    @property
    def subtag(self) -> str:
        """The language alone, without script and region: `es` of `es-MX`."""
        return self.tag.partition("-")[0]


@cache
def language_of(tag: str) -> Language:
    """The language of a tag.

    Raises:
        InputError: it is no tag of language, script and region, in the usual case.

    >>> language_of("fa-IR").name, language_of("fa-IR").direction, language_of("uz-Cyrl").scripts
    ('Persian', 'rtl', ('Cyrl',))
    """
    if not LANGUAGE_TAG.fullmatch(tag):
        raise InputError(f"language '{tag}' is no BCP 47 tag; expected such as en, es-MX or zh-Hans.")
    first, *more = tag.split("-")
    name, scripts = _KNOWN.get(first, (tag, ""))
    own = tuple(part for part in more if len(part) == 4)
    return Language(tag=tag, name=name, scripts=own or tuple(scripts.split()))


def scripts_in(text: str) -> Counter[str]:
    """Letters of a text by their script; digits, marks and signs have none.

    >>> scripts_in("김치 and rice 2")
    Counter({'Latn': 7, 'Hang': 2})
    """
    found = (_script_of(letter) for letter in text if letter.isalpha())
    return Counter(script for script in found if script)


def is_in_script_of(text: str, tag: str) -> bool | None:
    """True if at least half of a text's letters are in the scripts of a language; None where that tells nothing.

    It tells nothing of a text without letters, nor of a language in Latin script, in which most others are written too.

    >>> is_in_script_of("rice", "ko"), is_in_script_of("밥 (rice)", "ko"), is_in_script_of("nasi", "id")
    (False, False, None)
    """
    scripts, letters = language_of(tag).scripts, scripts_in(text)
    if not scripts or LATIN in scripts or not letters:
        return None
    return 2 * sum(letters[script] for script in scripts) >= letters.total()


@cache
def _script_of(letter: str) -> str | None:
    return _SCRIPTS.get(unicodedata.name(letter, "").partition(" ")[0])
