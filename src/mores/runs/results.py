"""What plays leave, written in the order of the plan whatever the order in which they end."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from zlib import compress, decompress

from mores.core.codec import encode, encode_lines
from mores.core.files import AtomicFile, storing, sweep
from mores.core.transcript import Transcript
from mores.core.verdict import Verdict, Vote
from mores.core.verdict_table import VerdictTable

TRANSCRIPTS, VERDICTS, VOTES = "transcripts.jsonl", "verdicts.jsonl", "votes.jsonl"
TOGETHER = 4 << 20
"""Bytes that are written at once."""
UNWRITABLE = (TypeError, ValueError, OverflowError, RecursionError)
"""What comes of values that have no place in a file: a number of numpy, half a surrogate pair, an endless nesting."""
FRESH = 20_000
"""Verdicts that go into the table together: 2.9 µs for two, and 4.4 one by one; a short run has its calls behind it."""
LARGE, ROOM = 1 << 14, 32 << 20
"""Bytes from which it pays to pack lines that wait, and how many may wait before any are packed."""


def _unpacked(kept: bytes) -> bytes:
    """The lines as they were; what is packed begins as no JSON does."""
    return decompress(kept) if kept.startswith(b"x") else kept


class ResultWriter:
    """What the plays of one evaluation leave; a play that ends early waits in memory for those before it.

    Where nobody judges there is no file of votes.
    """

    def __init__(self, folder: Path, *, judged: bool = False) -> None:
        self._ledger, self._fresh = VerdictTable(), list[Verdict]()
        self.written = 0
        self._folder = folder
        self._early: dict[int, tuple[bytes, tuple[Verdict, ...], bytes]] = {}
        names = (TRANSCRIPTS, VERDICTS, VOTES)[: 3 if judged else 2]
        self._lines: dict[str, list[bytes]] = {name: [] for name in names}
        self._hashes = {name: hashlib.sha256() for name in names}
        self._gathered = self._waiting = 0
        for name in names:
            sweep(folder / name)
        self._parts = {name: AtomicFile(folder / name, private=True) for name in names}

    def put(
        self, index: int, transcript: Transcript, verdicts: tuple[Verdict, ...], votes: Sequence[Vote] = ()
    ) -> None:  # fmt: skip
        """One play's transcript, verdicts and votes, by its place in the plan.

        What cannot be written (`UNWRITABLE`) is raised before anything has changed.
        """
        line, judged, voted = encode(transcript) + b"\n", encode_lines(verdicts), encode_lines(votes)
        if index != self.written:
            kept = self._kept(line), self._kept(voted)
            self._early[index] = (kept[0], verdicts, kept[1])
            return
        self.add((line, judged, voted), verdicts)
        while self._early and (next_one := self._early.pop(self.written, None)) is not None:
            line, verdicts, voted = next_one
            self._waiting -= len(line) + len(voted)
            self._take(_unpacked(line), verdicts, _unpacked(voted))

    def _kept(self, lines: bytes) -> bytes:
        """Lines that wait: as they are while few do, since to pack them takes a thirtieth of a simulated day.

        Long ones are else packed: a thousand days that end before the first would take gigabytes.
        """
        kept = compress(lines, 1) if len(lines) > LARGE and self._waiting + len(lines) > ROOM else lines
        self._waiting += len(kept)
        return kept

    def _take(self, line: bytes, verdicts: tuple[Verdict, ...], voted: bytes) -> None:
        self.add((line, encode_lines(verdicts), voted), verdicts)

    def add(self, written: tuple[bytes, bytes, bytes], verdicts: Iterable[Verdict]) -> None:
        """The next play of the plan by its lines of transcripts, verdicts and votes, and its verdicts for the table."""
        self.written += 1
        for lines, more in zip(self._lines.values(), written, strict=False):  # votes are left out where nobody judges
            lines.append(more)
            self._gathered += len(more)
        self._fresh.extend(verdicts)
        if len(self._fresh) >= FRESH:
            self._settle()
        if self._gathered >= TOGETHER:
            self._write()

    @property
    def ledger(self) -> VerdictTable:
        """All verdicts so far."""
        self._settle()
        return self._ledger

    def _settle(self) -> None:
        if self._fresh:
            self._ledger.extend(self._fresh)
            self._fresh = []

    def _write(self) -> None:
        with storing(self._folder):
            for name, lines in self._lines.items():
                whole = b"".join(lines)
                self._hashes[name].update(whole)
                self._parts[name].file.write(whole)
                lines.clear()
        self._gathered = 0

    def finish(self) -> dict[str, str]:
        """Put the files in place; the SHA-256 of each by its name."""
        self._write()
        for part in self._parts.values():
            part.put()
        return {name: whole.hexdigest() for name, whole in self._hashes.items()}

    def drop(self) -> None:
        """Take the unfinished files away; the journal keeps all that was answered."""
        for part in self._parts.values():
            part.drop()
