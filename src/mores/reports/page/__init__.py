"""The report as one page that needs nothing else: its template, its styles and its script."""

from mores.reports.page.write import (
    PAGE,
    finished,
    render,
    render_comparison,
    render_only,
    write_comparison,
    write_only,
    write_page,
)

__all__ = [
    "PAGE", "finished", "render", "render_comparison", "render_only", "write_comparison", "write_only", "write_page",
]  # fmt: skip
