"""Where the verdicts on each play of a result lie in its file, so that they can be read when they are wanted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mores.core.findings import Findings
from mores.core.item import ItemMetadata
from mores.core.verdict import Finding, VerdictLine, read_lines
from mores.runs.results import VERDICTS


class Judged(NamedTuple):
    """The verdicts on one play: what the first is about, what each found by its part, and the bytes of their lines."""

    about: ItemMetadata
    sample: int
    findings: tuple[tuple[str, Finding], ...]
    start: int
    size: int


class StoredVerdicts:
    """The verdicts of a result, play by play; one that has none has no plays."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / VERDICTS
        self._file = self.path.open("rb") if self.path.is_file() else None
        self._before = self._after = 0

    def plays(self) -> Iterator[Judged]:
        """Each play as its verdicts stand together.

        Raises:
            InputError: a line is no verdict.
        """
        first: ItemMetadata | None = None
        findings: list[tuple[str, Finding]] = []
        start, sample = 0, 0
        reader = Findings[Finding](lambda finding: finding, str(self.path))
        for about, finding in map(reader.one, self._lines()):
            before = self._before
            if first is None or about.item != first.item or finding.sample != sample:
                if first is not None:
                    yield Judged(first, sample, tuple(findings), start, before - start)
                first, sample, start, findings = about, finding.sample, before, []
            findings.append((about.part, finding))
        if first is not None:
            yield Judged(first, sample, tuple(findings), start, self._after - start)

    def _lines(self) -> Iterator[bytes]:
        self._before = self._after = 0
        for line in self._file or ():
            self._before, self._after = self._after, self._after + len(line)
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
