"""Findings as one HTML file: nothing is fetched, and nothing that models or data say can act in it.

All text is escaped by the template; besides, the page's own policy lets only its one script and one style sheet run,
named by their hashes, so that words which slipped through would still be words.
"""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from re import escape, split

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mores import __version__
from mores.core import files
from mores.reports import difference_words, drawing, wording
from mores.reports.analysis import Analysis
from mores.reports.findings import Findings
from mores.reports.page.view import view_of, words_of

HERE = Path(__file__).parent
DIFFERENCE_FILTERS = ("apart", "bare", "family_told", "judged", "least_seen", "left_out", "over", "seen")
"""How differences are put, as filters of their own names."""
LONGEST = 6000
"""Characters of one message that a page shows; the rest stays in the transcripts."""


def write_page(findings: Findings, path: Path, also: Sequence[Analysis] = (), *, private: bool = False) -> None:
    """Put the report of some runs in place as one self-contained file; `also` are sections beside its own.

    A private one, as those in a run's own folder are, is for its owner alone.

    Raises:
        InputError: a file is there that is no page of mores.
        StorageError: the file cannot be written.
    """
    files.write_page(path, render(findings, also), private=private)


def render(findings: Findings, also: Sequence[Analysis] = ()) -> str:
    """The report's HTML."""
    style, script = _own("report.css"), _own("report.js")
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'"
    template = _environment().get_template("report.html.jinja")
    return template.render(
        view=view_of(findings, also),
        style=Markup(style),  # noqa: S704 - the project's own files
        script=Markup(script),  # noqa: S704
        policy=policy,
        version=__version__,
        simulated=wording.SIMULATED,
        few_graded=wording.few_graded(findings.cells),
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "number": wording.number,
        "interval": wording.interval,
        "counted": wording.counted,
        "kind": wording.kind_name,
        "kinds": wording.kinds_name,
        "causes": wording.told_causes,
        "wanted": words_of,
        "clipped": _clipped,
        "linked": _linked,
        "dots": drawing.dot_and_whisker,
        "place": _place,
        **{name: getattr(difference_words, name) for name in DIFFERENCE_FILTERS},
    }
    environment.globals |= {"scale_of": drawing.scale_of, "axis": drawing.axis}
    return environment


def _place(code: str | None) -> str:
    return wording.group_name("place", code) if code else ""


def _clipped(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … ({len(text) - LONGEST:,} more characters are in transcripts.jsonl)"


def _linked(text: str) -> Markup:
    """Text in which arXiv numbers are links."""
    parts = split(f"({escape('arXiv:')}[0-9]{{4}}[.][0-9]{{4,5}})", text)
    link = Markup('<a href="https://arxiv.org/abs/{}" rel="noreferrer">{}</a>')
    told = [link.format(part.removeprefix("arXiv:"), part) if number % 2 else part for number, part in enumerate(parts)]
    return Markup("").join(told)


def _own(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
