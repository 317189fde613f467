"""Runs as others want them: figures and a table for a paper, and the formats of neighbours, whose tools read them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedFiles:
    """Files by their paths within a folder, and a line for each thing that the format has no place for."""

    files: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()
