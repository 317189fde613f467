"""Results as one HTML file: nothing is fetched, and nothing that models or data say can act in it.

All text is escaped where it is put in; besides, the page's own policy lets only its one script and one style sheet run,
named by their hashes, so that words which slipped through would still be words.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from mores.analysis.comparison import Comparison
from mores.analysis.judge_errors import KnownJudgeErrors
from mores.analysis.results import Result, Results
from mores.core import files
from mores.core.canary import CANARY_LINE
from mores.core.code_errors import attempt
from mores.reports.browse import browser
from mores.reports.browse.items import items_html
from mores.reports.page.glossary import Glossary
from mores.reports.page.html import Html, safe
from mores.reports.sections.front import page_title
from mores.reports.sections.provenance import cautions
from mores.reports.sections_list import all_sections
from mores.reports.two_runs import comparison_sections, comparison_title
from mores.runs.garbage import quiet_collector
from mores.runs.loading import describe_changes, read_results
from mores.runs.study import Study
from mores.tables.blocks import Section
from mores.tables.formatting import SIMULATED
from mores.tables.pages import page_values

PAGE = "report.html"
"""The page in the folder of a study."""
HERE = Path(__file__).parent
BROWSE = HERE.parent / "browse"
_BANNER = '<p class="banner" role="note">{}</p>\n'


def finished(study: Study, judges: KnownJudgeErrors | None = None) -> Results:
    """The results of a study that is done; its page is written where anything new was found."""
    with quiet_collector():
        results = read_results([study.folder], study.scored).judged_by(judges or KnownJudgeErrors())
        page = study.folder / PAGE
        if study.progress or not page.is_file():
            attempt("the page", lambda: write_page(results, page, private=True), lambda _: None)
        return results


def write_page(results: Results, path: Path, also: Sequence[Section] = (), *, private: bool = False) -> None:
    """Put the report of some runs in place as one self-contained file; `also` are sections beside its own.

    A private one, as those in a run's own folder are, is for its owner alone.

    Raises:
        InputError: a file is there that is no page of mores.
        StorageError: the file cannot be written.
    """
    files.write_page(path, render(results, also), private=private)


def write_comparison(comparison: Comparison, path: Path) -> None:
    """Put the page of two runs in place: what differs, and the items that changed with their words.

    Raises:
        InputError: a file is there that is no page of mores.
        StorageError: the file cannot be written.
    """
    files.write_page(path, render_comparison(comparison), private=False)


def write_only(results: Results, path: Path, sections: Sequence[Section]) -> None:
    """Put a page of some sections alone in place, without the items.

    Raises:
        InputError: a file is there that is no page of mores.
        StorageError: the file cannot be written.
    """
    files.write_page(path, render_only(results, sections), private=False)


def render(results: Results, also: Sequence[Section] = ()) -> str:
    """The report's HTML."""
    return _rendered(
        results, sections=all_sections(results, also, page=True), title=partial(page_title, results), planted=True
    )


def render_only(results: Results, sections: Sequence[Section]) -> str:
    """The HTML of some sections, which are open."""
    shown = [replace(each, folded=False) for each in sections]
    return _rendered(results, sections=shown, title=partial(page_title, results), planted=False, items=False)


def render_comparison(comparison: Comparison) -> str:
    """The HTML of two runs."""
    pairs = [(each.a, each.b) for each in comparison.compared]
    results = Results(runs=(comparison.run_a, comparison.run_b), evaluations=tuple(chain.from_iterable(pairs)))
    return _rendered(
        results,
        sections=tuple(comparison_sections(comparison)),
        pairs=pairs,
        title=partial(comparison_title, comparison),
        planted=False,
    )


def _rendered(
    results: Results,
    *,
    sections: Sequence[Section],
    title: Callable[[], str],
    planted: bool,
    items: bool = True,
    pairs: Sequence[tuple[Result, Result]] = (),
) -> str:
    given = page_values([HERE / "report.css", BROWSE / "browse.css"], [HERE / "report.js", BROWSE / "browse.js"])
    html = Html(Glossary())
    title_text = attempt("the title of the page", title, lambda _: ", ".join(results.benchmarks))
    parts = [_part(f"the section '{section.id}'", partial(html.section, section)) for section in sections]
    if items:
        parts.append(_part("the items of the page", partial(_items, results, pairs)))
    terms = "".join(f'<dt id="{safe(t.id)}">{safe(t.name)}</dt><dd>{safe(t.says)}</dd>' for t in html.glossary.terms)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{safe(given["policy"])}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="mores {safe(given["version"])}">
<meta name="canary" content="{safe(CANARY_LINE)}">
<title>{safe(title_text)} · mores</title>
<style>{given["style"]}</style>
</head>
<body>
<a class="skip" href="#{safe(sections[0].id) if sections else "glossary"}">To the figures</a>
<header>
<p class="brand">mores</p>
<h1>{safe(title_text)}</h1>
{_part("the warnings at its head", lambda: "".join(_banners(results, planted=planted)))}</header>
<main>
{"".join(parts)}\
<section id="glossary" aria-labelledby="glossary-head">
<details class="part"><summary><h2 id="glossary-head">Glossary</h2></summary>
<dl>{terms}</dl>
</details>
</section>
</main>
<script>{given["script"]}</script>
</body>
</html>"""


def _part(what: str, make: Callable[[], str]) -> str:
    """The HTML of one part of a page, or a sentence in its place."""
    return attempt(f"{what} on the page", make, lambda sentence: f'<p class="warning">{safe(sentence)}</p>\n')


def _items(results: Results, pairs: Sequence[tuple[Result, Result]]) -> str:
    """Every item behind the figures; nothing where there are none."""
    found = browser(results, pairs)
    return items_html(found) if found else ""


def _banners(results: Results, *, planted: bool) -> Iterator[str]:
    """Banners of a page: what was changed, what is doubtful, what is simulated."""
    for line in describe_changes(results):
        yield _BANNER.format(
            f"<strong>Changed:</strong> {safe(line)}, so figures and words here may not be those that the run found."
        )
    for caution in cautions(results):
        yield _BANNER.format(f"<strong>{safe(caution)}</strong>")
    if results.simulated:
        head, _, rest = SIMULATED.partition(":")
        link = ' <a href="#made-up">What was planted</a>' if planted else ""
        yield _BANNER.format(f"<strong>{safe(head)}:</strong>{safe(rest)}{link}")
