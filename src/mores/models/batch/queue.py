"""Batches of a run: the answers that came in files, and the calls that go into the next batch.

Answers come in any order, over several files, with errors and expiries among them. Of several to one request a
completion counts and no failure. Only the position of a line is kept, so that large files cost no memory.
"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.core.files import sha256_of
from mores.models.batch.formats import LayoutName
from mores.models.batch.results import READERS, BatchResult
from mores.models.capabilities import Capabilities
from mores.models.completion import read_reply
from mores.models.request import BatchedCall, CallFailed


class _Spot(NamedTuple):
    """Position of a line, or the failure in it."""

    path: Path
    start: int
    size: int
    failure: CallFailed | None


class BatchAnswers(Struct):
    """Contents of files of answers, by the names of requests.

    `files` are their hashes, `unreadable` says of lines that hold no answer where they are and why, `repeated` are the
    names in files that were read before, `own` those that the run kept itself.
    """

    files: tuple[str, ...] = ()
    rows: int = 0
    duplicates: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)
    repeated: set[str] = field(default_factory=set)
    own: frozenset[str] = frozenset()
    _spots: dict[str, _Spot] = field(default_factory=dict)

    def __iter__(self) -> Iterator[str]:
        """The names of requests that there is anything of."""
        return iter(self._spots)

    def is_answer(self, name: str) -> bool:
        """True if a completion came of a request."""
        spot = self._spots.get(name)
        return spot is not None and spot.failure is None

    def completion(self, name: str) -> bytes | None:
        """The body of the completion that came of a request; None where there is no answer.

        Raises:
            CallFailed: it came to nothing; one that may pass asks to be put again.
        """
        spot = self._spots.get(name)
        if spot is None:
            return None
        if spot.failure is not None:
            raise spot.failure
        return msgspec.json.encode(_outcome(self.line(name), str(spot.path)).completion)

    def line(self, name: str) -> bytes:
        """The line of a request, as it stands in its file."""
        spot = self._spots[name]
        with spot.path.open("rb") as file:
            file.seek(spot.start)
            return file.read(spot.size)

    def add_file(self, path: Path, *, before: bool) -> None:
        """Add what a file holds; of one that was read `before`, failures were counted then.

        Raises:
            InputError: it cannot be read.
        """
        start = 0
        try:
            with path.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    if line.strip():
                        self._add(line, f"{path}:{number}", _Spot(path, start, len(line), None), before=before)
                    start += len(line)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}).") from error

    def _add(self, line: bytes, where: str, spot: _Spot, *, before: bool) -> None:
        try:
            came = _outcome(line, where)
        except InputError as error:
            self.unreadable.append(f"{error}" if line.endswith(b"\n") else f"{error} The file is cut short there.")
            return
        self.rows += 1
        if before:
            self.repeated.add(came.name)
        failure = came.failure or _unusable(came)
        if failure is not None:
            self.failed[failure.cause] += 1
            if before:
                return
        known = self._spots.get(came.name)
        self.duplicates += known is not None
        # An answer takes the place of a failure; of two answers the first one stays.
        if known is None or (known.failure is not None and failure is None):
            self._spots[came.name] = spot._replace(failure=failure)


def read_answers(paths: Sequence[Path], known_files: Container[str], kept: Sequence[Path] = ()) -> BatchAnswers:
    """The answers in some files; those with the hashes in `known_files` were read before, `kept` are a run's own.

    Raises:
        InputError: one cannot be read, or holds no answer at all.
    """
    found, hashes = BatchAnswers(), []
    for path in kept:
        found.add_file(path, before=True)
    # What the run kept itself is no row of the files that it is given now.
    found.rows, found.own = 0, frozenset(found)
    for path in paths:
        rows = found.rows
        try:
            hashes.append(sha256_of(path))
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
        found.add_file(path, before=hashes[-1] in known_files)
        if found.rows == rows:
            why = found.unreadable[-1] if found.unreadable else f"{path}: it is empty."
            raise InputError(f"{why} Expected the results of a batch: of OpenAI, vLLM, Anthropic or Gemini.")
    found.files = tuple(hashes)
    return found


def _outcome(line: bytes, where: str) -> BatchResult:
    """Result of the request of a line.

    Raises:
        InputError: it is no result of a batch.
    """
    row = parse_json(line, where=where)
    if isinstance(row, dict):
        for _, fits, read in READERS:
            if fits(row):
                return read(row, where)
        if "body" in row or "params" in row or "request" in row or "requests" in row:
            raise InputError(f"{where}: a request, and no answer to one.")
    raise InputError(f"{where}: no answer of a batch.")


def _unusable(came: BatchResult) -> CallFailed | None:
    """Failure of a completion that cannot be read, as a call would have it."""
    try:
        read_reply(msgspec.json.encode(came.completion), 0.0)
    except CallFailed as failure:
        return failure
    return None


class EndpointProfile(Struct, frozen=True, kw_only=True):
    """Answers of an endpoint to its probes, from before its calls went into a batch.

    `way` names how it weighs labels, where that was asked; `schemas` says whether one was tried.
    """

    capabilities: Capabilities = field(default_factory=Capabilities)
    schemas: bool = False
    way: str | None = None


class BatchQueue(Struct, kw_only=True):
    """Answers in, calls out; `layout` is of providers whose own cannot be told.

    `learnt` is by model, and what was found out before. `waiting` are calls of earlier waves that nothing has come of
    so far; those of them that are wanted in this session are `awaited`. `received` are calls whose answers were read,
    and `kept` those of a reply that is not whole yet. `left_out` counts requests that the budget had no room for.
    """

    answers: BatchAnswers = field(default_factory=BatchAnswers)
    layout: LayoutName | None = None
    learnt: dict[str, EndpointProfile] = field(default_factory=dict)
    waiting: frozenset[str] = frozenset()
    awaited: set[str] = field(default_factory=set)
    queued: dict[str, dict[str, BatchedCall]] = field(default_factory=dict)
    received: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    left_out: int = 0

    def add(self, spec: str, calls: tuple[BatchedCall, ...]) -> None:
        """Put calls to a model into the next wave; one that two benchmarks wait for goes there once."""
        if calls:
            self.queued.setdefault(spec, {}).update((call.id, call) for call in calls)
