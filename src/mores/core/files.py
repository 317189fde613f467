"""Files put on disk: they appear whole, over nothing of a user's, and through no link.

What a run writes is for its owner alone, whatever the umask; a file that a user names is made as the umask says, and
only where there is none yet, or one that bears our mark.
"""

import errno
import hashlib
import os
import platform
import resource
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from mores.core.errors import InputError, StorageError

PAGE_MARK = b'<meta name="generator" content="mores '
"""What stands in the head of each page that mores writes."""
_HEAD = 4096
_OWNER_FILE, _OWNER_FOLDER = 0o600, 0o700


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn what a disk can do wrong into one line.

    Raises:
        InputError: a file stands where a folder is wanted.
        StorageError: the disk is full, read-only or gone.
    """
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{path}: it, or what it lies in, is not a folder; name another with --out.") from error
    except OSError as error:
        known = {errno.ENOSPC: "the disk is full", errno.EROFS: "the disk is read-only",
                 errno.ELOOP: "it is a symbolic link", errno.EFBIG: TOO_LARGE}  # fmt: skip
        why = known.get(error.errno or 0, error.strerror)
        todo = RAISE_LIMIT if error.errno == errno.EFBIG else "make room or choose another folder with --out"
        raise StorageError(f"{path}: cannot be written ({why}); {todo}.") from error


TOO_LARGE, RAISE_LIMIT = "this shell allows no file as large", "raise its limit: ulimit -f unlimited"
"""What is said, and what is to be done, where a process may not make a file larger; the disk may have room."""


def is_limited(*paths: Path) -> bool:
    """True where one of some files has come to the size that this process may make a file."""
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return limit != resource.RLIM_INFINITY and any(
        path.is_file() and path.stat().st_size > limit - LAST_WRITE for path in paths
    )


LAST_WRITE = 1 << 20
"""Bytes that one write may have, which would have gone beyond the limit as a whole."""


def is_just(path: Path, data: bytes) -> bool:
    """True where a file holds just these bytes."""
    return path.is_file() and not path.is_symlink() and path.stat().st_size == len(data) and path.read_bytes() == data


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes; they are read once as long as nobody touches the file."""
    with path.open("rb") as file:
        # Of the open file, as its name may be given to another one meanwhile.
        status = os.fstat(file.fileno())
        state = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        found = _hashed.get(state)
        if found is None:
            now = time.time_ns()
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if now - max(status.st_mtime_ns, status.st_ctime_ns) > UNTOUCHED_FOR:
                _hashed[state] = found
        return found


_hashed: dict[tuple[int, ...], str] = {}
UNTOUCHED_FOR = 2_000_000_000
"""Nanoseconds that a file has to lie untouched before its hash is kept: a clock of files may have coarse ticks."""


class AtomicFile:
    """A file in the making beside its place, under a name that nobody can have guessed; `put` makes it appear.

    Raises:
        StorageError: it cannot be made.
    """

    def __init__(self, path: Path, *, private: bool) -> None:
        self.path = path
        # Cut, so that the ending does not push it over the 255 bytes that file systems allow.
        self._part = path.with_name(f".{path.name[:200]}.{secrets.token_hex(8)}.part")
        with storing(path):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(self._part, flags, _OWNER_FILE if private else 0o666)
            if private:
                os.fchmod(handle, _OWNER_FILE)  # whatever the umask
        self.file: BinaryIO = os.fdopen(handle, "wb")

    def put(self, *, new: bool = False) -> None:
        """Put the file in place, where there must be none if it is to be new.

        Raises:
            InputError: it is to be new, and something is there.
            StorageError: the disk is full, read-only or gone.
        """
        with storing(self.path):
            self.file.flush()
            # On the disk before it gets its name: a crash must not leave the name with nothing behind it.
            os.fsync(self.file.fileno())
            self.file.close()
            if new:
                _link(self._part, self.path)
            else:
                self._part.replace(self.path)

    def drop(self) -> None:
        """Take away what was not put in place."""
        with suppress(OSError):  # what is still in the buffer is not wanted, and a full disk would not take it
            self.file.close()
        with suppress(OSError):
            self._part.unlink(missing_ok=True)


def _link(part: Path, path: Path) -> None:
    """Give a file its name unless something has it, in one step where the disk knows links."""
    try:
        os.link(part, path)
    except FileExistsError as error:
        raise taken(path) from error
    except OSError:  # a disk without links
        if os.path.lexists(path):
            raise taken(path) from None
        part.replace(path)


@contextmanager
def appearing(path: Path, *, private: bool = False, new: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, which appears under its name as a whole once all is written, or not at all."""
    part = AtomicFile(path, private=private)
    try:
        yield part.file
        part.put(new=new)
    except OSError as error:
        with storing(path):
            raise error
    finally:
        part.drop()


def write_own(path: Path, data: bytes) -> None:
    """Put a file of a run in place, for its owner alone; one of that name is replaced.

    Raises:
        StorageError: the disk is full, read-only or gone.
    """
    with appearing(path, private=True) as file:
        file.write(data)


def write_new(path: Path, data: bytes) -> None:
    """Put a file that a user named in place, as the umask says.

    Raises:
        InputError: something of that name is there.
        StorageError: the disk is full, read-only or gone.
    """
    _make_way(path)
    with appearing(path, new=True) as file:
        file.write(data)


def write_page(path: Path, html: str, *, private: bool) -> None:
    """Put a page in place, over nothing but an earlier page of ours.

    Raises:
        InputError: something else is there.
        StorageError: the disk is full, read-only or gone.
    """
    refuse_foreign(path)
    _make_way(path)
    with appearing(path, private=private, new=not os.path.lexists(path)) as file:
        file.write(html.encode("utf-8", "replace"))


def _make_way(path: Path) -> None:
    with storing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)


def refuse_foreign(path: Path) -> None:
    """Nothing, where a page may be written: there is no file yet, or one that bears our mark.

    Raises:
        InputError: something else is there, a link among it.
    """
    if not os.path.lexists(path):
        return
    head = b""
    if path.is_file() and not path.is_symlink():
        with suppress(OSError), path.open("rb") as file:
            head = file.read(_HEAD)
    if PAGE_MARK not in head:
        raise InputError(f"{path}: it exists and is not a page of mores; name another file.")


def taken(path: Path, flag: str = "") -> InputError:
    """Error where a file is there already."""
    named = f"{flag} {path}" if flag else str(path)
    return InputError(f"{named}: it exists already and is not overwritten; name a new file.")


def refuse_taken(path: Path, flag: str = "--out") -> None:
    """Nothing, if a file is new.

    Raises:
        InputError: something of that name is there, be it a link to nowhere.
    """
    if os.path.lexists(path):
        raise taken(path, flag)


def own_folder(path: Path) -> None:
    """Make a run's folder, for its owner alone; one that is there stays as it is.

    Raises:
        StorageError: it cannot be made.
    """
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.mkdir()
            path.chmod(_OWNER_FOLDER)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def own_file(path: Path) -> None:
    """Make an empty file of a run for its owner alone, where there is none; it is then safe to open by name.

    One that is there is not opened: to close it would take from SQLite the locks that this process has on it.

    Raises:
        StorageError: it cannot be made or written, or a link is in its place.
    """
    with storing(path):
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(path, flags, _OWNER_FILE)
        except FileExistsError:
            _take_over(path)
            return
        try:
            os.fchmod(handle, _OWNER_FILE)
        finally:
            os.close(handle)


def _take_over(path: Path) -> None:
    """Have a file that is there for its owner alone.

    Raises:
        OSError: it is none, or cannot be written.
    """
    mode, wrong = path.lstat().st_mode, 0
    if not stat.S_ISREG(mode):
        wrong = errno.ELOOP if stat.S_ISLNK(mode) else errno.EISDIR
    elif not os.access(path, os.R_OK | os.W_OK):
        wrong = errno.EROFS if os.statvfs(path).f_flag & os.ST_RDONLY else errno.EACCES
    if wrong:
        raise OSError(wrong, os.strerror(wrong))
    if stat.S_IMODE(mode) != _OWNER_FILE:
        path.chmod(_OWNER_FILE)


def this_process() -> str:
    """This process as people find it: `process 7 on HOST`."""
    return f"process {os.getpid()} on {platform.node()}"


def sweep(path: Path) -> None:
    """Take away what a killed run left of a file in the making; for whoever holds the folder's lock."""
    for left in path.parent.glob(f".{path.name}.*part"):
        with suppress(OSError):
            left.unlink()
