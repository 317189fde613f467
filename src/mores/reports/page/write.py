"""The page."""

from pathlib import Path

from mores.reports.findings import Findings


def write_page(findings: Findings, path: Path) -> None:
    """Put the report in place (being built)."""
    path.write_text("<!doctype html><title>mores</title>", encoding="utf-8")
