"""Sources of data sets: where each is published, at which revision, with which checksums and terms.

`sources.toml` ─▶ `DataSource` by name
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Literal

from msgspec import Struct, field

from mores.core.codec import build, read_toml
from mores.core.errors import UnknownName

SOURCES = Path(__file__).with_name("sources.toml")
TABLES = frozenset({".csv", ".json", ".jsonl", ".parquet"})
"""Endings of what a name with `*` stands for."""
COMMIT = re.compile(r"[0-9a-f]{40}")
"""A revision that stays what it is; a branch or a tag may move."""
HUB = "https://huggingface.co/datasets"


class SourceFile(Struct, frozen=True, kw_only=True):
    """One file of a repository, or all that a name with `*` matches; `save_as` is its name here, if not its own.

    An empty checksum and zero bytes or rows are not known. The file of a pattern keeps its ending.
    """

    name: str
    save_as: str = ""
    sha256: str = ""
    bytes: int = 0
    rows: int = 0

    @property
    def is_pattern(self) -> bool:
        """True where the name stands for any number of files."""
        return "*" in self.name

    def place_of(self, name: str) -> str:
        """Path of a file that goes by this entry, within the folder of the data set."""
        if not self.save_as:
            return name
        return self.save_as + PurePosixPath(name).suffix if self.is_pattern else self.save_as


class Repository(Struct, frozen=True, kw_only=True):
    """Repository that files come from; a `form` is a page on which a person has to do what `todo` says.

    Without a revision it is the newest.
    """

    kind: Literal["hub", "github", "form"]
    repo: str
    files: tuple[SourceFile, ...]
    revision: str = ""
    todo: str = ""

    @property
    def page(self) -> str:
        """Address of its page."""
        homes = {"hub": f"{HUB}/{self.repo}", "github": f"https://github.com/{self.repo}"}
        return homes.get(self.kind, self.repo)


class DataSource(Struct, frozen=True, kw_only=True):
    """One data set: its repositories, its licence, the terms that its users are told, and the benchmarks it is of.

    One that is `gated` is given to those who have accepted terms on its page.
    """

    title: str
    licence: str
    repositories: tuple[Repository, ...] = field(name="from")
    terms: str = ""
    benchmarks: tuple[str, ...] = ()
    gated: bool = False


@cache
def data_sources(path: Path = SOURCES) -> Mapping[str, DataSource]:
    """All data sets that can be fetched, by name.

    Raises:
        InputError: the file cannot be read, or has an unknown or wrong field.
    """
    return build(dict[str, DataSource], read_toml(path), where=path.name)


def source_of(benchmark: str) -> str | None:
    """Name of the data set that a benchmark asks of; None where none is known."""
    return next((name for name, source in data_sources().items() if benchmark in source.benchmarks), None)


def source_named(name: str) -> tuple[str, DataSource]:
    """A data set by its name or by that of one of its benchmarks, with its own name.

    Raises:
        UnknownName: there is none.
    """
    known = data_sources()
    found = name if name in known else source_of(name)
    if found is None:
        raise UnknownName("data set", name, known, where="mores data fetch", todo=f"Known are {', '.join(known)}.")
    return found, known[found]
