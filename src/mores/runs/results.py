"""What plays leave, written in the order of the plan whatever the order in which they end."""

from contextlib import suppress
from pathlib import Path

from mores.benchmarks.ledger import Ledger
from mores.core.codec import encode
from mores.core.transcript import Transcript
from mores.core.verdict import Verdict, encode_verdicts
from mores.core.vote import Votes
from mores.runs.folder import storing

TRANSCRIPTS, VERDICTS, VOTES = "transcripts.jsonl", "verdicts.jsonl", "votes.jsonl"
TOGETHER = 256
NO_VOTES = Votes()


class Results:
    """What the plays of one cell leave; a play that ends early waits in memory for those before it.

    Where nobody judges there is no file of votes.
    """

    def __init__(self, folder: Path, *, judged: bool = False) -> None:
        self.ledger = Ledger()
        self.written = 0
        self._folder = folder
        self._early: dict[int, tuple[bytes, tuple[Verdict, ...], bytes]] = {}
        names = (TRANSCRIPTS, VERDICTS, VOTES)[: 3 if judged else 2]
        self._lines: dict[str, list[bytes]] = {name: [] for name in names}
        with storing(folder):
            self._files = {name: (folder / f".{name}.part").open("wb") for name in names}

    def put(
        self, index: int, transcript: Transcript, verdicts: tuple[Verdict, ...], votes: Votes = NO_VOTES
    ) -> None:  # fmt: skip
        """One play's transcript, verdicts and votes, by its place in the plan."""
        line, voted = encode(transcript) + b"\n", votes.encode()
        if index != self.written:
            self._early[index] = (line, verdicts, voted)
            return
        self._take(line, verdicts, voted)
        while self._early and (next_one := self._early.pop(self.written, None)) is not None:
            self._take(*next_one)

    def _take(self, line: bytes, verdicts: tuple[Verdict, ...], voted: bytes) -> None:
        self.written += 1
        self._lines[TRANSCRIPTS].append(line)
        self._lines[VERDICTS].append(encode_verdicts(verdicts))
        if VOTES in self._lines:
            self._lines[VOTES].append(voted)
        for verdict in verdicts:
            self.ledger.add(verdict)
        if len(self._lines[TRANSCRIPTS]) >= TOGETHER:
            self._write()

    def _write(self) -> None:
        with storing(self._folder):
            for name, lines in self._lines.items():
                self._files[name].writelines(lines)
                lines.clear()

    def finish(self) -> None:
        """Put the files in place."""
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
