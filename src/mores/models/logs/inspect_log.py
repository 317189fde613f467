"""Inspect's logs: a zip of a JSON file a sample (`.eval`), or one JSON object with all samples.

The last reply of a sample is its reply, as it is for Inspect's scorers. An epoch is a draw.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from lzma import LZMAError
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec

from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.models.logs.row import Logged, Turn, last_asked, reply_of, shaped
from mores.models.request import Reply

NAME = "Inspect's log"
LARGEST = 1 << 28
"""Bytes of a sample; more than any talk has, and a damaged header may claim any size."""
PACKINGS = frozenset({ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA})
"""What Python 3.11 unpacks."""
_SAMPLE = re.compile(r"samples/.+\.json")
_ATTACHMENT = re.compile(r"attachment://(\w+)")
_DAMAGED = (BadZipFile, zlib.error, LZMAError, EOFError, OSError, ValueError, RuntimeError)


class _Choice(msgspec.Struct):
    message: Turn
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
    input: str | list[Turn]
    output: _Output
    messages: list[Turn] = []
    error: _Error | None = None
    attachments: dict[str, str] = {}


def read_zip(data: bytes, where: str) -> Iterator[Logged]:
    """The replies of a `.eval` file.

    Raises:
        InputError: it is damaged, has no samples, or is packed in a way that Python 3.11 cannot read.
    """
    try:
        with ZipFile(BytesIO(data)) as log:
            samples = [entry for entry in log.infolist() if _SAMPLE.fullmatch(entry.filename)]
            if not samples:
                raise InputError(f"{where}: a zip without samples/; expected {NAME} (.eval) of a run that has some.")
            for entry in samples:
                spot = f"{where}: {entry.filename}"
                yield _logged(parse_json(_unpacked(log, entry, spot), where=spot), spot)
    except NotImplementedError as error:
        raise InputError(
            f"{where}: its files are packed as Python's zipfile cannot read ({error}); write it anew: "
            "inspect log convert --to json."
        ) from error
    except _DAMAGED as error:
        raise InputError(f"{where}: a damaged zip ({error}).") from error


def _unpacked(log: ZipFile, entry: ZipInfo, where: str) -> bytes:
    if entry.file_size > LARGEST:
        raise InputError(f"{where}: {entry.file_size:,} bytes; expected a sample of at most {LARGEST:,}.")
    if entry.compress_type not in PACKINGS:  # Inspect, where it is imported, has zipfile try others too
        raise NotImplementedError(f"compression method {entry.compress_type}")
    return log.read(entry)


def read_whole(whole: Mapping[str, object], where: str) -> Iterator[Logged]:
    """The replies of a log that is one JSON object.

    Raises:
        InputError: it has no samples, or one lacks what is read of it.
    """
    samples = whole["samples"]
    for number, sample in enumerate(samples if isinstance(samples, list) else [samples], start=1):
        yield _logged(sample, f"{where}: sample {number}")


def _logged(row: object, where: str) -> Logged:
    sample = shaped(row, _Sample, where=where, what="a sample of Inspect's log")
    asked = sample.input if isinstance(sample.input, str) else last_asked(sample.input)
    words = (_whole(asked, sample), _whole(last_asked(sample.messages), sample))
    failed = (sample.error.message or "error") if sample.error else (sample.output.error or "")
    if not sample.output.choices:
        failed = failed or "no output"
    return Logged(
        where=where,
        item=str(sample.id),
        sample=sample.epoch - 1,
        asked=tuple(dict.fromkeys(word for word in words if word)),
        reply=None if failed else _reply(sample),
        failed=failed,
    )


def _reply(sample: _Sample) -> Reply:
    choice = sample.output.choices[0]
    return reply_of(
        _whole(choice.message.text, sample),
        finish=choice.stop_reason,
        reasoning=_whole(choice.message.reasoning, sample),
        model=sample.output.model,
    )


def _whole(text: str, sample: _Sample) -> str:
    """Words with what the log keeps beside them put back."""
    return _ATTACHMENT.sub(lambda found: sample.attachments.get(found[1], found[0]), text)
