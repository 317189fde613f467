"""What plays leave, written in the order of the plan whatever the order in which they end."""

from contextlib import suppress
from pathlib import Path

from mores.benchmarks.ledger import Ledger
from mores.core.codec import encode
from mores.core.transcript import Transcript
from mores.core.verdict import Verdict, encode_verdicts
from mores.runs.folder import storing

TRANSCRIPTS, VERDICTS = "transcripts.jsonl", "verdicts.jsonl"
TOGETHER = 256


class Results:
    """Transcripts and verdicts of one cell; a play that ends early waits in memory for those before it."""

    def __init__(self, folder: Path) -> None:
        self.ledger = Ledger()
        self.written = 0
        self._folder = folder
        self._early: dict[int, tuple[bytes, tuple[Verdict, ...]]] = {}
        self._lines: tuple[list[bytes], list[bytes]] = ([], [])
        with storing(folder):
            self._files = {name: (folder / f".{name}.part").open("wb") for name in (TRANSCRIPTS, VERDICTS)}

    def put(self, index: int, transcript: Transcript, verdicts: tuple[Verdict, ...]) -> None:
        """One play's transcript and verdicts, by its place in the plan."""
        line = encode(transcript) + b"\n"
        if index != self.written:
            self._early[index] = (line, verdicts)
            return
        self._take(line, verdicts)
        while self._early and (next_one := self._early.pop(self.written, None)) is not None:
            self._take(*next_one)

    def _take(self, line: bytes, verdicts: tuple[Verdict, ...]) -> None:
        self.written += 1
        transcripts, graded = self._lines
        transcripts.append(line)
        graded.append(encode_verdicts(verdicts))
        for verdict in verdicts:
            self.ledger.add(verdict)
        if len(transcripts) >= TOGETHER:
            self._write()

    def _write(self) -> None:
        with storing(self._folder):
            for file, lines in zip(self._files.values(), self._lines, strict=True):
                file.writelines(lines)
                lines.clear()

    def finish(self) -> None:
        """Put both files in place."""
        self._write()
        with storing(self._folder):
            for name, file in self._files.items():
                file.close()
                (self._folder / f".{name}.part").replace(self._folder / name)

    def drop(self) -> None:
        """Take the unfinished files away; the journal keeps all that was answered."""
        for name, file in self._files.items():
            with suppress(OSError):  # what is still in the buffer is not wanted, and a full disk would not take it
                file.close()
            with suppress(OSError):
                (self._folder / f".{name}.part").unlink(missing_ok=True)
