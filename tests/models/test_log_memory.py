"""Small files that unpack to gigabytes end as one line, with little memory and little work, however they are packed."""

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mores.core.errors import InputError
from mores.models.logs import inspect_log
from mores.models.recorded_files import read_recording
from tests.models.test_logs import inspect_sample

MEGABYTE = 1 << 20
HUGE = 80 * MEGABYTE
PACKINGS = {"deflate": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}


@cache
def spaces(size: int, packing: str) -> bytes:
    """So many spaces in a zip, as one sample, made piece by piece."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", PACKINGS[packing]) as log, log.open("samples/1_epoch_1.json", "w") as entry:
        for _ in range(size // MEGABYTE):
            entry.write(b" " * MEGABYTE)
    return out.getvalue()


def claiming(data: bytes, size: int) -> bytes:
    """The same zip whose headers say another size unpacked."""
    changed = bytearray(data)
    central = changed.rfind(b"PK\x01\x02")
    for spot in (22, central + 24):
        struct.pack_into("<I", changed, spot, size)
    return bytes(changed)


def refused(path: Path, most: int = 32 * MEGABYTE) -> str:
    """The line that a file ends in; nobody holds more memory meanwhile.

    Raises:
        AssertionError: it took more.
    """
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as error:
            read_recording(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < most + path.stat().st_size
    said = str(error.value)
    assert said.startswith(str(path))
    assert "\n" not in said
    return said


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of all pieces that are unpacked: the work that is done."""
    done: list[int] = []
    take: Callable[[inspect_log.Room, int], None] = inspect_log.Room.take

    def counted(room: inspect_log.Room, size: int) -> None:
        done.append(size)
        take(room, size)

    monkeypatch.setattr(inspect_log.Room, "take", counted)
    return done


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_header_that_lies_about_its_size_stops_the_stream_at_that_size(
    packing: str, tmp_path: Path, pieces: list[int]
) -> None:
    path = tmp_path / "lie.eval"
    path.write_bytes(claiming(spaces(HUGE, packing), 100))
    assert path.stat().st_size < MEGABYTE
    assert "more than the 100 bytes that its header says" in refused(path)
    assert sum(pieces) < MEGABYTE


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_sample_that_says_how_huge_it_is_is_not_unpacked_at_all(
    packing: str, tmp_path: Path, pieces: list[int]
) -> None:
    path = tmp_path / "huge.eval"
    path.write_bytes(spaces(HUGE, packing))
    assert "expected a sample of at most" in refused(path)
    assert pieces == []


def test_many_samples_of_a_size_that_one_may_have_are_bounded_in_their_sum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: list[int]
) -> None:
    monkeypatch.setattr(inspect_log, "ALLOWED", 16 * MEGABYTE)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as log:
        for number in range(60):
            log.writestr(f"samples/{number}_epoch_1.json", b" " * MEGABYTE)
    (tmp_path / "many.eval").write_bytes(out.getvalue())
    assert "grows to more than 16,777,216 bytes" in refused(tmp_path / "many.eval")
    assert sum(pieces) < 18 * MEGABYTE


def test_entries_that_share_their_bytes_are_refused_before_any_is_unpacked(tmp_path: Path, pieces: list[int]) -> None:
    data = spaces(MEGABYTE, "deflate")
    central, end = data.rfind(b"PK\x01\x02"), data.rfind(b"PK\x05\x06")
    entry, count = data[central:end], 5_000
    tail = bytearray(data[end:])
    struct.pack_into("<HHII", tail, 8, count, count, len(entry) * count, central)
    (tmp_path / "overlap.eval").write_bytes(data[:central] + entry * count + bytes(tail))
    assert "overlaps another file in it" in refused(tmp_path / "overlap.eval")
    assert pieces == []


@pytest.mark.parametrize("field", ["input", "said"])
@pytest.mark.parametrize("packed", [True, False])
def test_attachments_that_stand_in_for_each_other_many_times_are_counted_before_they_are_put_in(
    field: str, packed: bool, tmp_path: Path
) -> None:
    given: dict[str, Any] = {field: "attachment://a " * 100_000, "attachments": {"a": "x" * 100_000}}
    sample = inspect_sample(**given)
    path = tmp_path / ("attach.eval" if packed else "attach.json")
    if packed:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
            log.writestr("samples/1_epoch_1.json", json.dumps(sample))
    else:
        path.write_text(json.dumps({"eval": {}, "status": "success", "samples": [sample]}))
    assert "grows to more than" in refused(path)


def test_a_window_larger_than_any_sample_is_not_made_for_a_stream(tmp_path: Path) -> None:
    data = bytearray(spaces(MEGABYTE, "lzma"))
    name, extra = struct.unpack_from("<HH", data, 26)
    struct.pack_into("<I", data, 30 + name + extra + 5, 0xFFFFFFFF)
    (tmp_path / "window.eval").write_bytes(data)
    assert "LZMA with a window of 4,294,967,295 bytes" in refused(tmp_path / "window.eval")


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, *PACKINGS.values()])
def test_a_sound_log_is_read_however_it_is_packed(packing: int, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w", packing) as log:
        for item in range(300):
            log.writestr(f"samples/{item}_epoch_1.json", json.dumps(inspect_sample(item, input=f"{item} " * 3_000)))
    found = read_recording(tmp_path / "log.eval").log
    assert found is not None
    assert [row.item for row in found.rows] == [str(item) for item in range(300)]


def test_a_sample_that_is_damaged_costs_no_other(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_STORED) as log:
        for item in "abc":
            log.writestr(f"samples/{item}_epoch_1.json", json.dumps(inspect_sample(item)))
    data = bytearray((tmp_path / "log.eval").read_bytes())
    spot = data.find(b'"id": "b"')
    data[spot + 7] ^= 1
    (tmp_path / "log.eval").write_bytes(data)
    log_read = read_recording(tmp_path / "log.eval").log
    assert log_read is not None
    rows = log_read.rows
    assert [(row.item, row.left_out) for row in rows] == [("a", ""), ("", "rows that could not be read"), ("c", "")]
    assert "Bad CRC-32" in rows[1].failed
