"""Terms of the field in plain words: a list at the end of a page, and links to it from where sections use them."""

import re
from functools import cache
from pathlib import Path

from markupsafe import escape
from msgspec import Struct

from mores.core.codec import build, read_toml

TERMS = Path(__file__).parent / "terms.toml"
_TAG = re.compile(r"(<[^>]*>)")
_UNMARKED = re.compile(r'<(a|code|b|span class="(?:model|tag|tag warn)")[ >]')


class Term(Struct, frozen=True, kw_only=True):
    """A term, what it means, and other words that stand for it."""

    name: str
    says: str
    also: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Its anchor."""
        return f"term-{re.sub('[^a-z0-9]+', '-', self.name.casefold())}"


@cache
def terms() -> tuple[Term, ...]:
    """All terms by name."""
    found = build(tuple[Term, ...], read_toml(TERMS)["terms"], where=TERMS.name)
    return tuple(sorted(found, key=lambda term: term.name.casefold()))


class Glossary:
    """The terms of one page; each is linked once in a section."""

    def __init__(self) -> None:
        self.terms = terms()
        self._term_of = {word.casefold(): term for term in self.terms for word in (term.name, *term.also)}
        longest_first = sorted(self._term_of, key=len, reverse=True)
        # What stands in quotes is a metric's name or somebody's words: a metric "courtesy" is not the term.
        self._word = re.compile(rf"“[^”]*”|\b({'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
        self._seen: set[str] = set()

    def begin(self) -> None:
        """Begin a section."""
        self._seen.clear()

    def mark(self, html: str) -> str:
        """The same words, terms that are new to the section as links; names, code and quotes are left alone."""
        parts, unmarked = [], 0
        # Split at tags, so that words within one, as in a title, are never marked.
        for part in _TAG.split(html):
            if part.startswith("</"):
                unmarked = max(0, unmarked - 1)
            elif part.startswith("<"):
                unmarked += not part.endswith("/>") and bool(unmarked or _UNMARKED.match(part))
            parts.append(part if unmarked or part.startswith("<") else self._word.sub(self._link, part))
        return "".join(parts)

    def _link(self, found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        term = self._term_of[found[0].casefold()]
        if term.id in self._seen:
            return found[0]
        self._seen.add(term.id)
        return f'<a class="term" href="#{term.id}" title="{escape(term.says)}">{found[0]}</a>'
