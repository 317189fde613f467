"""Names that may be chosen: PRECIS (RFC 8266) says which signs one may have, so that none of them hides.

A name in letters of two scripts is refused but where people write so, as in Japanese.
"""

from confusable_homoglyphs.categories import unique_aliases
from django.utils.translation import gettext as _
from precis_i18n import get_profile

from mores.studio.flows.fields import cleaned
from mores.studio.models.lookalikes import SIGN

LONGEST = 80
_NICKNAME = get_profile("NicknameCasePreserved")
_BLANK = {"\u2800", "\ufffc", "\U0001d159"}
"""Signs that PRECIS takes for symbols, and that nobody sees."""
_NO_SCRIPT = {"COMMON", "INHERITED"}
_WRITTEN_TOGETHER = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)


class NotAName(ValueError):
    """A name that nobody may choose; its words say why."""


def chosen_name(typed: str) -> str:
    """The name as it is kept.

    Raises:
        NotAName: it has a sign that hides, letters of scripts that nobody writes together, or a colon; or is too long.
    """
    try:
        name: str = _NICKNAME.enforce(cleaned(typed))
    except UnicodeEncodeError:
        name = ""
    if not any(map(str.isalnum, name)) or _BLANK & set(name):
        raise NotAName(_("A name has signs that can be seen, and nothing else; choose another."))
    if SIGN in name:
        raise NotAName(_("A name has no colon; choose another."))
    if len(name) > LONGEST:  # a sign may stand for several
        words = _("Too long: %(now)d characters, at most %(limit)d.")
        raise NotAName(words % {"now": len(name), "limit": LONGEST})
    scripts = unique_aliases(name) - _NO_SCRIPT
    if len(scripts) > 1 and not any(scripts <= together for together in _WRITTEN_TOGETHER):
        raise NotAName(_("A name has letters of one script; choose another."))
    return name
