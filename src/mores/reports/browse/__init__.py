"""Every item of a report, with the exact words asked, answered and judged, to be filtered and linked on the page."""

from mores.reports.browse.answers import BETTER, CHANGED, UNSTABLE, WORSE
from mores.reports.browse.items import Browser, browser, units_link

__all__ = ["BETTER", "CHANGED", "UNSTABLE", "WORSE", "Browser", "browser", "units_link"]
