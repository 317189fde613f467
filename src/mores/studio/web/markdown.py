"""Guidelines in Markdown: headings, lists, tables, links and a project's own pictures; HTML in it stays text."""

from collections.abc import Callable
from unicodedata import bidirectional

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

PARSER = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
BELOW = 2
"""Levels that headings go down: those of the page stand above them."""
BLOCKS = {"paragraph_open", "heading_open", "blockquote_open", "list_item_open", "th_open", "td_open"}


def to_html(text: str, picture: Callable[[str], str]) -> SafeString:
    """HTML of a text in Markdown.

    Args:
        text: What somebody wrote; HTML and addresses of scripts in it are shown as they are typed.
        picture: The address of a picture by its name, "" where there is none: its words are shown then.
    """
    tokens = PARSER.parse(text)
    runs = ""
    for token in reversed(tokens):  # so that a block comes after its words
        if token.type.startswith("heading"):
            token.tag = f"h{min(6, int(token.tag[1]) + BELOW)}"
        if token.type == "inline":
            runs = _direction(token)
        elif token.type in BLOCKS and runs:
            token.attrSet("dir", runs)
        for part in token.children or ():
            _bound(part, picture)
    rendered: str = PARSER.renderer.render(tokens, PARSER.options, {})
    return mark_safe(rendered)  # noqa: S308 - all text in it is escaped


def _direction(words: Token) -> str:
    """Direction of words by their first letter; "" without one: they run as their page does then.

    `dir=auto` would not look into blocks within blocks, nor at the words of a picture.
    """
    ways = (bidirectional(letter) for part in words.children or () for letter in part.content)
    return next(("ltr" if way == "L" else "rtl" for way in ways if way in {"L", "R", "AL"}), "")


def _bound(part: Token, picture: Callable[[str], str]) -> None:
    """Let a picture come from here alone, and a link tell nobody where it was followed."""
    if part.type == "image":
        address = picture(str(part.attrGet("src")))
        part.attrSet("src", address)
        if not address:
            part.type, part.tag = "text", ""
    elif part.type == "link_open":
        part.attrSet("rel", "noreferrer noopener")
