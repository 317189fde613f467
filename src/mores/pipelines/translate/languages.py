"""Languages that a pack is put into: name, script, and what they call a country, from Unicode's CLDR.

The tables are those of the library Babel, which comes with the extra `build`.
"""

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from mores.core.errors import InputError
from mores.core.extras import needed

if TYPE_CHECKING:
    from babel import Locale

SCRIPTS = {
    "Arab": ("ARABIC", "نص"), "Armn": ("ARMENIAN", "տեքստ"), "Beng": ("BENGALI", "পাঠ"), "Cyrl": ("CYRILLIC", "текст"),
    "Deva": ("DEVANAGARI", "पाठ"), "Ethi": ("ETHIOPIC", "ጽሑፍ"), "Geor": ("GEORGIAN", "ტექსტი"),
    "Grek": ("GREEK", "κείμενο"), "Gujr": ("GUJARATI", "લખાણ"), "Guru": ("GURMUKHI", "ਪਾਠ"), "Hans": ("CJK", "文本"),
    "Hant": ("CJK", "文本"), "Hebr": ("HEBREW", "טקסט"), "Jpan": ("CJK HIRAGANA KATAKANA", "文章"),
    "Khmr": ("KHMER", "អត្ថបទ"), "Knda": ("KANNADA", "ಪಠ್ಯ"), "Kore": ("HANGUL", "글"), "Laoo": ("LAO", "ຂໍ້ຄວາມ"),
    "Latn": ("LATIN", "teksto"), "Mlym": ("MALAYALAM", "പാഠം"), "Mymr": ("MYANMAR", "စာသား"),
    "Orya": ("ORIYA", "ପାଠ"), "Sinh": ("SINHALA", "පෙළ"), "Taml": ("TAMIL", "உரை"), "Telu": ("TELUGU", "పాఠం"),
    "Thai": ("THAI", "ข้อความ"), "Tibt": ("TIBETAN", "ཡིག"),
}  # fmt: skip
"""Scripts by their codes (ISO 15924): beginnings of Unicode's names of their letters, and a word for simulations."""


class TargetLanguage(Struct, frozen=True):
    """A language by its BCP 47 tag, with its English name, its script and a word in it for simulated texts."""

    tag: str
    name: str
    letters: tuple[str, ...]
    sample: str

    def country(self, place: str) -> str:
        """The name that the language has for a country; empty where CLDR has none, as for parts of countries."""
        return str(_locale(self.tag).territories.get(place, ""))

    def share(self, text: str) -> float:
        """Share of the letters of a text that are of the language's script; 1 where it has no letters.

        >>> language("ar").share("نص one")
        0.4
        """
        letters = [sign for sign in text if sign.isalpha()]
        own = sum(unicodedata.name(sign, "").startswith(self.letters) for sign in letters)
        return own / len(letters) if letters else 1.0


@cache
def language(tag: str, where: str = "--language") -> TargetLanguage:
    """The language of a tag.

    Raises:
        InputError: the tag is no language of CLDR, is English, or its script is not known here.
    """
    locale = _locale(tag, where)
    likely = needed("babel.core").get_global("likely_subtags")
    script = locale.script or likely.get(str(locale.language), "__").split("_")[1]
    code = str(script)
    if locale.language == "en" or code not in SCRIPTS:
        wrong = "the pack is in English" if locale.language == "en" else f"its script {code or 'is unknown'}"
        raise InputError(f"{where} {tag}: {wrong}; expected another language, such as ar, hi, id, es or sw.")
    letters, sample = SCRIPTS[code]
    return TargetLanguage(tag, str(locale.english_name), tuple(letters.split()), sample)


def _locale(tag: str, where: str = "--language") -> "Locale":
    babel = needed("babel")
    try:
        return babel.Locale.parse(tag, sep="-")  # type: ignore[no-any-return]
    except (babel.UnknownLocaleError, ValueError) as error:
        raise InputError(
            f"{where} {tag}: no language of this tag; expected a BCP 47 tag such as ar or pt-BR."
        ) from error
