"""Languages that a pack is put into: their names, and what they call a country, from Unicode's CLDR.

The tables are those of the library Babel, which comes with the extra `build`.
"""

from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from mores.core.errors import InputError
from mores.core.extras import needed
from mores.core.languages import ENGLISH, language_of

if TYPE_CHECKING:
    from babel import Locale

_SAMPLES = {
    "Arab": "نص", "Beng": "পাঠ", "Cyrl": "текст", "Deva": "पाठ", "Ethi": "ጽሑፍ", "Grek": "κείμενο", "Hang": "글",
    "Hani": "文本", "Hebr": "טקסט", "Taml": "உரை",
}  # fmt: skip
"""Word for text by script."""


class TargetLanguage(Struct, frozen=True):
    """A language by its BCP 47 tag, with its English name."""

    tag: str
    name: str

    @property
    def sample(self) -> str:
        """A word in the language's script, of which simulated texts are made."""
        return next((_SAMPLES[script] for script in language_of(self.tag).scripts if script in _SAMPLES), "teksto")

    def country(self, place: str) -> str:
        """The name that the language has for a country; empty where CLDR has none, as for parts of countries."""
        return str(_locale(self.tag).territories.get(place, ""))


@cache
def target_language(tag: str, where: str = "--language") -> TargetLanguage:
    """The language of a tag.

    Raises:
        InputError: the tag is no language of CLDR, or is English.
    """
    locale = _locale(tag, where)
    if locale.language == ENGLISH:
        raise InputError(f"{where} {tag}: the pack is in English; expected another language, such as ar, hi or sw.")
    return TargetLanguage(tag, str(locale.english_name))


def _locale(tag: str, where: str = "--language") -> "Locale":
    babel = needed("babel")
    try:
        language_of(tag)
        return babel.Locale.parse(tag, sep="-")  # type: ignore[no-any-return]
    except (InputError, babel.UnknownLocaleError, ValueError) as error:
        raise InputError(
            f"{where} {tag}: no language of this tag; expected a BCP 47 tag such as ar or pt-BR."
        ) from error
