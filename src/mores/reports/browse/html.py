"""The browser of items on the page: its data as text that no script runs; browse.js shows it."""

from mores.reports.browse.items import Browser

_FORM = """<p class="warning" id="browse-wait">This list needs a browser that runs the page’s script.</p>
<form id="browse-form" hidden>
<label>Benchmark <select name="benchmark"></select></label>
<label>Model <select name="model"></select></label>
<label>Answer <select name="answer"></select></label>
<label>Change <select name="change"></select></label>
<label>Place <select name="place"></select></label>
<label>Group <select name="group"></select></label>
<label>Judge <select name="judge"></select></label>
<label>Words <input type="search" name="q" placeholder="in all that was said"></label>
<output></output>
</form>
<div id="browse-list"></div>
<div id="browse-one" tabindex="-1"></div>
"""


def items_html(held: Browser) -> str:
    """The section that holds all items, or a draw of them."""
    answers = "with the answers of all models"
    shown = f"All {held.total:,} items {answers}"
    if held.shown < held.total:
        shown = f"{held.shown:,} of {held.total:,} items, drawn by the seed, {answers}"
    if held.worded < held.shown:
        shown += f"; {held.worded:,} of them with their words, first those that somebody got wrong"
    parts = "".join(f'<script type="text/plain" class="browse-words">{part}</script>\n' for part in held.words)
    return (
        '<section id="browse" aria-labelledby="browse-head">\n<h2 id="browse-head">Every item, word for word</h2>\n'
        f'<p class="says">{shown}. Everything is in each run’s verdicts.jsonl and transcripts.jsonl. The address of '
        f"this page says what is shown, so it can be sent.</p>\n{_FORM}"
        f'<script type="text/plain" id="browse-index">{held.index}</script>\n{parts}</section>\n'
    )
