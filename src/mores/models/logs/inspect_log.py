"""Inspect's logs: a zip of a JSON file a sample (`.eval`), or one JSON object with all samples.

The last reply of a sample is its reply, as it is for Inspect's scorers. An epoch is a draw. A zip is unpacked in
pieces, and never to more than its headers and we allow: a header may lie, a stream of a few bytes unpack to gigabytes,
and entries share one blob; so the room is counted while the pieces come.
"""

import bz2
import lzma
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from lzma import LZMAError
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec

from mores.core.codec import reading
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.core.table import parse_loosely
from mores.models.logs.documents import read_document
from mores.models.logs.logged_reply import Logged, LogMessage, last_user_message, odd_row, points_of, reply_of, shaped
from mores.models.request import Reply

LARGEST = 1 << 26
"""Bytes of one entry; more than any talk has."""
ALLOWED, TIMES = 1 << 28, 64
"""Bytes of all that is unpacked from a file, or so many times its own, if that is more."""
SLACK, USES = 1 << 20, 8
"""Letters that the attachments of a sample may expand to, beside so many times their own."""
_PIECE = 1 << 16
_LOCAL = struct.Struct("<4s22xHH")
_PROPERTIES = struct.Struct("<2xHBI")
_LARGEST_WINDOW = 1 << 26
_ENCRYPTED = 1
_ZIP_ZSTANDARD = 93


class Room:
    """Room for what may still come out of a file."""

    def __init__(self, allowed: int, where: str) -> None:
        self._allowed = self._left = allowed
        self._where = where

    @classmethod
    def of_file(cls, data: bytes, where: str) -> "Room":
        """As much as a packed file may unpack to."""
        return cls(max(ALLOWED, TIMES * len(data)), where)

    @classmethod
    def of_attachments(cls, attachments: Mapping[str, str], where: str) -> "Room":
        """As much as the words of a sample may grow by what the log keeps beside them."""
        return cls(SLACK + USES * sum(map(len, attachments.values())), where)

    def take(self, size: int) -> None:
        """Count what comes out.

        Raises:
            InputError: it is more than may come.
        """
        self._left -= size
        if self._left < 0:
            raise InputError(f"{self._where}: it grows to more than {self._allowed:,} bytes; expected a log.")


def refuse_overlaps(entries: list[ZipInfo], where: str) -> None:
    """Refuse a zip whose entries share bytes.

    Raises:
        InputError: two do.
    """
    end = 0
    # Entries that share bytes would let a small file unpack to any size.
    for entry in sorted(entries, key=lambda one: one.header_offset):
        if entry.header_offset < end:
            raise InputError(f"{where}: a damaged zip ({entry.filename[:80]} overlaps another file in it).")
        end = entry.header_offset + _LOCAL.size + entry.compress_size


def unpack(data: bytes, entry: ZipInfo, room: Room, where: str) -> bytes:
    """The bytes of one entry of a zip.

    Raises:
        InputError: it is larger than a sample may be, or than its header says.
        NotImplementedError: it is packed in a way that is not read here.
        BadZipFile: it is damaged.
    """
    if entry.file_size > LARGEST:
        raise InputError(f"{where}: {entry.file_size:,} bytes; expected a sample of at most {LARGEST:,}.")
    if entry.flag_bits & _ENCRYPTED:
        raise BadZipFile("it is encrypted")
    whole = bytearray()
    for piece in _PACKINGS.get(entry.compress_type, _unknown(entry))(_packed(data, entry)):
        room.take(len(piece))
        whole += piece
        if len(whole) > entry.file_size:
            raise InputError(f"{where}: it unpacks to more than the {entry.file_size:,} bytes that its header says.")
    if zlib.crc32(whole) != entry.CRC:
        raise BadZipFile(f"Bad CRC-32 for file '{entry.filename}'")
    return bytes(whole)


def _packed(data: bytes, entry: ZipInfo) -> memoryview:
    """The packed bytes of an entry, after a header of its own."""
    try:
        mark, name, extra = _LOCAL.unpack_from(data, entry.header_offset)
    except struct.error as error:
        raise BadZipFile(f"no header of {entry.filename}") from error
    if mark != b"PK\x03\x04":
        raise BadZipFile(f"no header of {entry.filename}")
    begin = entry.header_offset + _LOCAL.size + name + extra
    return memoryview(data)[begin : begin + entry.compress_size]


Pieces = Callable[[memoryview], Iterator[bytes]]


def _unknown(entry: ZipInfo) -> Pieces:
    def refuse(_: memoryview) -> Iterator[bytes]:
        raise NotImplementedError(f"compression method {entry.compress_type}")

    return refuse


def _stored(packed: memoryview) -> Iterator[bytes]:
    for begin in range(0, len(packed), _PIECE):
        yield bytes(packed[begin : begin + _PIECE])


def _inflated(packed: memoryview) -> Iterator[bytes]:
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    for given in _stored(packed):  # what is not unpacked yet is copied at each step
        left = given
        while not stream.eof:
            piece, left = stream.decompress(left, _PIECE), stream.unconsumed_tail
            if not (piece or left):
                break
            yield piece


def _streamed(stream: Any, packed: memoryview) -> Iterator[bytes]:
    """Pieces out of a stream of bzip2 or LZMA, which keeps what it has not unpacked yet."""
    for given in _stored(packed):
        left = given
        while not stream.eof and (left or not stream.needs_input):
            yield stream.decompress(left, _PIECE)
            left = b""


def _lzma(packed: memoryview) -> Iterator[bytes]:
    if len(packed) < _PROPERTIES.size:
        raise BadZipFile("LZMA without its properties")
    size, levels, window = _PROPERTIES.unpack_from(packed)
    if window > _LARGEST_WINDOW:
        raise BadZipFile(f"LZMA with a window of {window:,} bytes")
    # The first byte of the properties is (pb * 5 + lp) * 9 + lc.
    chain = [
        {"id": lzma.FILTER_LZMA1, "dict_size": window, "lc": levels % 9, "lp": levels // 9 % 5, "pb": levels // 45}
    ]
    return _streamed(lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=chain), packed[4 + size :])


def _zstandard(packed: memoryview) -> Iterator[bytes]:
    """Pieces of what Inspect packs by now, by the library that comes with it; Python has one from 3.14 on."""
    library = needed("zstandard")
    stream = library.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_reader(packed)
    try:
        while piece := stream.read(_PIECE):
            yield piece
    except library.ZstdError as error:
        raise BadZipFile(f"Zstandard: {error}") from error


_PACKINGS: dict[int, Pieces] = {
    ZIP_STORED: _stored,
    ZIP_DEFLATED: _inflated,
    _ZIP_ZSTANDARD: _zstandard,
    ZIP_BZIP2: lambda packed: _streamed(bz2.BZ2Decompressor(), packed),
    ZIP_LZMA: _lzma,
}


NAME = "Inspect's log"
WHAT = "a sample of Inspect's log"
HEADER = "header.json"
LONGEST_METADATA = 1 << 16
_SAMPLE = re.compile(r"samples/.+\.json")
_NO_NUMBER = re.compile(rb"[:,\[]\s*(?:NaN|-?Infinity)\b")
_ATTACHMENT = re.compile(r"attachment://(\w+)")
_DAMAGED = (BadZipFile, zlib.error, LZMAError, EOFError, OSError, ValueError, RuntimeError)


class _Choice(msgspec.Struct):
    message: LogMessage
    stop_reason: str | None = None


class _Output(msgspec.Struct):
    choices: list[_Choice] = []
    model: str = ""
    error: str | None = None


class _Error(msgspec.Struct):
    message: str = ""


class _Score(msgspec.Struct):
    value: Any = None


class _Sample(msgspec.Struct):
    id: int | str
    epoch: int
    input: str | list[LogMessage]
    output: _Output
    messages: list[LogMessage] = []
    choices: list[str] | None = None
    error: _Error | None = None
    attachments: dict[str, str] = {}
    scores: dict[str, _Score] | None = None
    metadata: Any = None


class _PackedSample(_Sample):
    # Not read yet, as it may be of any size.
    metadata: msgspec.Raw = msgspec.Raw(b"null")


_packed_samples = msgspec.json.Decoder(_PackedSample)


def _entries(data: bytes, where: str) -> list[ZipInfo]:
    """The files in a zip.

    Raises:
        InputError: it is damaged.
    """
    try:
        with ZipFile(BytesIO(data)) as log:
            entries = log.infolist()
    except _DAMAGED as error:
        raise InputError(f"{where}: a damaged zip ({error}).") from error
    refuse_overlaps(entries, where)
    return entries


def read_documents(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]] | None:
    """Header and samples of a log as plain values; None of a file that is no log of Inspect's.

    Raises:
        InputError: it is damaged, or unpacks to more than it may.
    """
    where = str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    if data[:2] != b"PK":
        whole = parse_loosely(data.decode(errors="replace"), where=where) if path.suffix == ".json" else None
        if not isinstance(whole, dict) or not {"eval", "samples", "status"} <= whole.keys():
            return None
        return whole, whole["samples"] or []
    room, found = Room.of_file(data, where), dict[str, Any]()
    for entry in _entries(data, where):
        if entry.filename == HEADER or _SAMPLE.fullmatch(entry.filename):
            spot = f"{where}: {entry.filename}"
            try:
                found[entry.filename] = parse_loosely(unpack(data, entry, room, spot).decode(), where=spot)
            except (*_DAMAGED, NotImplementedError) as error:
                raise InputError(f"{spot}: damaged ({error}).") from error
    if HEADER not in found:
        raise InputError(f"{where}: no {HEADER} in it; expected the log of a task that has ended.")
    return found.pop(HEADER), list(found.values())


def read_zip(data: bytes, where: str) -> Iterator[Logged]:
    """The replies of a `.eval` file; a sample in it that is damaged is an odd row.

    Raises:
        InputError: it is damaged, has no samples, unpacks to more than it may, or is packed in a way not read here.
    """
    room, entries = Room.of_file(data, where), _entries(data, where)
    samples = [entry for entry in entries if _SAMPLE.fullmatch(entry.filename)]
    if not samples:
        raise InputError(f"{where}: a zip without samples/; expected {NAME} (.eval) of a run that has some.")
    for entry in samples:
        spot = f"{where}: {entry.filename}"
        try:
            sample = unpack(data, entry, room, spot)
        except NotImplementedError as error:
            raise InputError(
                f"{where}: its files are packed as is not read here ({error}); write it anew: "
                "inspect log convert --to json."
            ) from error
        except _DAMAGED as error:
            yield odd_row(spot, f"damaged ({error}).")
            continue
        yield _read(sample, spot)


def _read(sample: bytes, where: str) -> Logged:
    try:
        if _NO_NUMBER.search(sample):  # as Inspect writes the score of what could not be graded
            loose = shaped(parse_loosely(sample.decode(), where=where), _Sample, where=where, what=WHAT)
            return _logged(loose, loose.metadata, where)
        with reading(where, WHAT):
            found = _packed_samples.decode(sample)
            raw = found.metadata if len(bytes(found.metadata)) <= LONGEST_METADATA else b"null"
            metadata = msgspec.json.decode(raw)
    except (InputError, UnicodeDecodeError) as error:
        return odd_row(where, str(error).removeprefix(f"{where}: "))
    return _logged(found, metadata, where)


def read_whole(whole: Mapping[str, object], where: str) -> Iterator[Logged]:
    """The replies of a log that is one JSON object.

    Raises:
        InputError: its attachments expand to more than they may.
    """
    samples = whole["samples"]
    for number, row in enumerate(samples if isinstance(samples, list) else [samples], start=1):
        spot = f"{where}: sample {number}"
        try:
            sample = shaped(row, _Sample, where=spot, what=WHAT)
        except InputError as error:
            yield odd_row(spot, str(error).removeprefix(f"{spot}: "))
            continue
        yield _logged(sample, sample.metadata, spot)


def _logged(sample: _Sample, metadata: object, where: str) -> Logged:
    room = Room.of_attachments(sample.attachments, where)
    first = sample.input if isinstance(sample.input, str) else last_user_message(sample.input)
    words = tuple(_whole(text, sample, room) for text in (first, last_user_message(sample.messages)))
    failed = (sample.error.message or "error") if sample.error else (sample.output.error or "")
    if not sample.output.choices:
        failed = failed or "no output"
    return Logged(
        where=where,
        item=str(sample.id),
        sample=sample.epoch - 1,
        asked=tuple(dict.fromkeys(word for word in words if word)),
        document=read_document({"input": words[0], "choices": sample.choices}, metadata),
        reply=None if failed else _reply(sample, room),
        failed=failed,
        score=next((points_of(each.value) for each in (sample.scores or {}).values()), None),
    )


def _reply(sample: _Sample, room: Room) -> Reply:
    choice = sample.output.choices[0]
    return reply_of(
        _whole(choice.message.text, sample, room),
        finish=choice.stop_reason,
        reasoning=_whole(choice.message.reasoning, sample, room),
        model=sample.output.model,
    )


def _whole(text: str, sample: _Sample, room: Room) -> str:
    """Words with what the log keeps beside them put back, counted before they are."""
    named = (sample.attachments.get(found[1], "") for found in _ATTACHMENT.finditer(text))
    for attachment in named:
        room.take(len(attachment))
    return _ATTACHMENT.sub(lambda found: sample.attachments.get(found[1], found[0]), text)
