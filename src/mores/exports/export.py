"""What is written for other programs: files by their paths within a folder, and what they could not carry."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Files by path, and a line for each thing that the format has no place for."""

    files: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()
