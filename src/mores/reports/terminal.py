"""The table."""

import sys
from pathlib import Path

from mores.reports.findings import Findings


def print_table(findings: Findings, folder: Path) -> None:
    """Print the headline figures (being built)."""
    for cell in findings.cells:
        whole = cell.whole()
        sys.stdout.write(f"{cell.model} {cell.benchmark} {whole.value if whole else None}\n")
