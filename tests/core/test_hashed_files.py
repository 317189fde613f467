"""A file is hashed once as long as nobody touches it."""

import hashlib
import os
from pathlib import Path

import pytest

from mores.core.files import UNTOUCHED_FOR, sha256_of


def _digest(words: bytes) -> str:
    return hashlib.sha256(words).hexdigest()


def test_a_file_that_lies_untouched_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one")
    monkeypatch.setattr("mores.core.files.time.time_ns", lambda: path.stat().st_ctime_ns + 2 * UNTOUCHED_FOR)
    assert sha256_of(path) == _digest(b"one")
    monkeypatch.setattr("mores.core.files.hashlib.file_digest", None)
    assert sha256_of(path) == _digest(b"one")


def test_a_file_of_the_same_length_and_age_as_before_is_hashed_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one")
    before = path.stat()
    monkeypatch.setattr("mores.core.files.time.time_ns", lambda: before.st_ctime_ns + 2 * UNTOUCHED_FOR)
    assert sha256_of(path) == _digest(b"one")
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        path.write_bytes(b"two")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert sha256_of(path) == _digest(b"two")


def test_a_file_that_was_just_written_is_hashed_each_time(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    for words in (b"one", b"two", b"six"):
        path.write_bytes(words)
        assert sha256_of(path) == _digest(words)
