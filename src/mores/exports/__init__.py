"""Runs as others want them: figures and a table for a paper, and the formats of neighbours, whose tools read them."""

from collections.abc import Mapping

from msgspec import Struct


class ExportedFiles(Struct, frozen=True, kw_only=True):
    """Files by their paths within a folder, and a line for each thing that the format has no place for."""

    files: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()
