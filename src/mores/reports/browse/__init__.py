"""Every item of a report, with the exact words asked, answered and judged, to be filtered and linked on the page."""

from mores.reports.browse.items import Browser, browser
from mores.reports.browse.lines import questions_of

__all__ = ["Browser", "browser", "questions_of"]
