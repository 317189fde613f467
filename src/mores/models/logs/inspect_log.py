"""Inspect's logs: a zip of a JSON file a sample (`.eval`), or one JSON object with all samples.

The last reply of a sample is its reply, as it is for Inspect's scorers. An epoch is a draw.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from lzma import LZMAError
from typing import Any
from zipfile import BadZipFile, ZipFile

import msgspec

from mores.core.codec import reading
from mores.core.errors import InputError
from mores.models.logs.documents import read_document
from mores.models.logs.logged_reply import Logged, LogMessage, last_user_message, odd_row, reply_of, shaped
from mores.models.logs.unpacking import Room, check_apart, unpack
from mores.models.request import Reply

NAME = "Inspect's log"
LONGEST_METADATA = 1 << 16
_SAMPLE = re.compile(r"samples/.+\.json")
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


class _Sample(msgspec.Struct):
    id: int | str
    epoch: int
    input: str | list[LogMessage]
    output: _Output
    messages: list[LogMessage] = []
    choices: list[str] | None = None
    error: _Error | None = None
    attachments: dict[str, str] = {}
    metadata: Any = None


class _PackedSample(_Sample):
    metadata: msgspec.Raw = msgspec.Raw(b"null")


_packed_samples = msgspec.json.Decoder(_PackedSample)


def read_zip(data: bytes, where: str) -> Iterator[Logged]:
    """The replies of a `.eval` file; a sample in it that is damaged is an odd row.

    Raises:
        InputError: it is damaged, has no samples, unpacks to more than it may, or is packed in a way not read here.
    """
    room = Room.of_file(data, where)
    try:
        with ZipFile(BytesIO(data)) as log:
            entries = log.infolist()
    except _DAMAGED as error:
        raise InputError(f"{where}: a damaged zip ({error}).") from error
    check_apart(entries, where)
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
        with reading(where, "a sample of Inspect's log"):
            found = _packed_samples.decode(sample)
            told = found.metadata if len(bytes(found.metadata)) <= LONGEST_METADATA else b"null"
            metadata = msgspec.json.decode(told)
    except InputError as error:
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
            sample = shaped(row, _Sample, where=spot, what="a sample of Inspect's log")
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
