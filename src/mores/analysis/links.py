"""Links within a report: to the section of a benchmark, and to the items behind a figure."""

import re
from urllib.parse import urlencode

from mores.analysis.results import Result

ANCHOR = "browse"
"""The part of a page that has every item."""
BETTER, WORSE, UNSTABLE = "better in B", "worse in B", "unstable"
CHANGED = "changed"
"""Items that went another way in the second of two runs: how, and in any way."""


def slug_of(name: str) -> str:
    """The anchor of what has this name, such as a benchmark.

    >>> slug_of("ladder/know")
    'ladder-know'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


def units_link(result: Result, kind: str = "", value: str = "", change: str = "") -> str:
    """The address within a page of the items behind one figure: a result's, of one group, that changed in one way."""
    asked = {"benchmark": result.benchmark, "model": result.label}
    group = {} if not kind else {"place": value} if kind == "place" else {"group": f"{kind}:{value}"}
    return f"#{ANCHOR}?{urlencode(asked | group | ({'change': change} if change else {}))}"
