"""Every item of a report, with the exact words asked, answered and judged, to be filtered and linked on the page."""

from mores.reports.browse.items import Browser, browser

__all__ = ["Browser", "browser"]
