"""Where the verdicts on each play of a result lie in its file, so that they can be read when they are wanted."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mores.core.transcript import ItemMetadata
from mores.core.verdict import VerdictLine, VerdictRecord, read_lines
from mores.core.verdict_lines import VerdictReader, batches
from mores.runs.results import VERDICTS


class PlayVerdicts(NamedTuple):
    """The verdicts on one play: what the first is about, what each found by its part, and the bytes of their lines."""

    about: ItemMetadata
    sample: int
    findings: tuple[tuple[str, VerdictRecord], ...]
    start: int
    size: int


class StoredVerdicts:
    """The verdicts of a result, play by play; one that has none has no plays."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / VERDICTS
        self._file = self.path.open("rb") if self.path.is_file() else None

    def plays(self) -> Iterator[PlayVerdicts]:
        """Each play as its verdicts stand together.

        Raises:
            InputError: a line is no verdict.
        """
        about = first = ItemMetadata(item="", unit="", cluster="")
        findings: list[tuple[str, VerdictRecord]] = []
        start, end, sample, sizes = 0, 0, 0, deque[int]()
        reader = VerdictReader[VerdictRecord](
            lambda finding: finding, str(self.path), varied=lambda finding: finding.ballot is not None
        )
        for abouts, begins, made in batches(self._lines(sizes), reader):
            new = iter(abouts)
            for begun, finding in zip(begins, made, strict=True):
                about = next(new) if begun else about
                if not findings or finding.sample != sample or (begun and about.item != first.item):
                    if findings:
                        yield PlayVerdicts(first, sample, tuple(findings), start, end - start)
                    first, sample, start, findings = about, finding.sample, end, []
                findings.append((about.part, finding))
                end += sizes.popleft()
        if findings:
            yield PlayVerdicts(first, sample, tuple(findings), start, end - start)

    def _lines(self, sizes: deque[int]) -> Iterator[bytes]:
        for line in self._file or ():
            sizes.append(len(line))
            yield line

    def lines(self, start: int, size: int) -> list[VerdictLine]:
        """The verdicts in some bytes that a play said."""
        if self._file is None:
            return []
        lines = os.pread(self._file.fileno(), size, start).splitlines(keepends=True)
        return [line for _, line in read_lines(lines, where=str(self.path))]

    def close(self) -> None:
        """Give the file back."""
        if self._file is not None:
            self._file.close()
