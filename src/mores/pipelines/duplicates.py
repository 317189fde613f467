"""Texts that say what another says: in the same normalised words, or near to it by a model of embeddings.

Texts are gone through in the order of their names, so that which of two duplicates is kept never depends on the order
of a file, and a text is compared only with those that were kept. Vectors of a build lie in its folder, under the hash
of text and model, so that a build that goes on embeds no text a second time.
"""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from mores.benchmarks.data_tables import read_table
from mores.core.codec import digest
from mores.core.errors import InputError, StorageError
from mores.core.files import own_file, own_folder
from mores.models.similarity import DIGITS, Embedder, Vector
from mores.pipelines.funnel import Dropped, Unit, dropped
from mores.pipelines.text_checks import normalised

T = TypeVar("T")
PUBLIC = "in a public benchmark"

NEAR = 0.95
"""Cosine from which two texts say the same, unless a build says otherwise."""
WORDS = 4
"""Words from which a cell of a public table is compared with norms and questions."""
_BLOCK = 512


class NamedText(msgspec.Struct, frozen=True, kw_only=True):
    """One text: its name, what it says, and the group within which it may repeat another, such as its place."""

    name: str
    words: str
    within: str = ""


class Duplicate(msgspec.Struct, frozen=True, kw_only=True):
    """A text that repeats another: its name, the cosine (1 for the same words); `public` if others published it."""

    of: str
    cosine: float
    public: bool = False


def public_texts(paths: Iterable[Path]) -> tuple[NamedText, ...]:
    """The cells of public tables that hold a sentence, each by its file and line."""
    return tuple(
        NamedText(name=f"{row.where} {column}", words=words)
        for path in paths
        for row in read_table(path, ())
        for column, words in row.cells.items()
        if len(words.split()) >= WORDS
    )


def vectors_of(texts: Sequence[str], embedder: Embedder) -> npt.NDArray[np.float64]:
    """The vectors of some texts at length 1, a row a text; of length 0 where a text has none. Each is embedded once."""
    once = list(dict.fromkeys(texts))
    blocks = (once[start : start + _BLOCK] for start in range(0, len(once), _BLOCK))
    parts = [np.array(embedder(block), dtype=np.float64) for block in blocks]
    rows = np.concatenate(parts) if parts else np.zeros((0, 1))
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    np.divide(rows, length, out=rows, where=length > 0)
    at = {text: number for number, text in enumerate(once)}
    return rows if len(once) == len(texts) else rows[[at[text] for text in texts]]


def duplicates(
    texts: Sequence[NamedText],
    *,
    against: Sequence[NamedText] = (),
    vectors: Mapping[str, npt.NDArray[np.float64]] | None = None,
    near: float = NEAR,
) -> dict[str, Duplicate]:
    """Texts that repeat one that is kept, or one of `against`, by name.

    Args:
        texts: Candidates; of two duplicates within a group the first by name is kept.
        against: Texts of others, such as public benchmarks; they are in no group, and none of them is dropped.
        vectors: The vector of each text by its name, at length 1; without them only normalised words are compared.
        near: Cosine from which two texts are duplicates, in (0, 1].

    Raises:
        InputError: `near` is out of its range, or two texts have one name.
    """
    if not 0 < near <= 1:
        raise InputError(f"--near {near}: expected a cosine above 0, and 1 at most.")
    ordered = sorted(texts, key=lambda text: text.name)
    if len({text.name for text in ordered}) < len(ordered):
        raise InputError("two texts have one name; expected each once.")
    found = _same_words(ordered, against)
    if vectors is not None:
        left = [text for text in ordered if text.name not in found]
        found |= _near_others(left, against, vectors, near)
        left = [text for text in left if text.name not in found]
        for group in dict.fromkeys(text.within for text in left):
            found |= _near_within([text for text in left if text.within == group], vectors, near)
    return found


class GeneratedText(NamedTuple, Generic[T]):
    """A text made of a unit: the result, its name, and the words that may stand nowhere else."""

    made: T
    unit: Unit
    name: str
    words: str


def drop_duplicates(
    texts: Sequence[GeneratedText[T]], public: Sequence[NamedText], stage: str, same: str
) -> tuple[list[T], list[Dropped]]:
    """Results without those that repeat another or a public text, and the units that are dropped for it."""
    found = duplicates([NamedText(name=each.name, words=each.words) for each in texts], against=public)
    lost = [
        dropped(each.unit, stage, PUBLIC if duplicate.public else same, duplicate.of)
        for each in texts
        if (duplicate := found.get(each.name))
    ]
    return [each.made for each in texts if each.name not in found], lost


def _same_words(ordered: Sequence[NamedText], against: Sequence[NamedText]) -> dict[str, Duplicate]:
    # Reversed, so that of public texts in the same words the first gives its name.
    others = {normalised(text.words): text.name for text in reversed(against)}
    kept: dict[tuple[str, str], str] = {}
    found = {}
    for text in ordered:
        words = normalised(text.words)
        other = others.get(words) or kept.setdefault((text.within, words), text.name)
        if other != text.name:
            found[text.name] = Duplicate(of=other, cosine=1.0, public=words in others)
    return found


def _near_others(
    texts: Sequence[NamedText],
    against: Sequence[NamedText],
    vectors: Mapping[str, npt.NDArray[np.float64]],
    near: float,
) -> dict[str, Duplicate]:
    found = {}
    public = np.array([vectors[text.name] for text in against])
    for start in range(0, len(texts) if against else 0, _BLOCK):
        block = texts[start : start + _BLOCK]
        cosines = np.array([vectors[text.name] for text in block]) @ public.T
        best = cosines.argmax(axis=1)
        for text, at, cosine in zip(block, best, _rounded(cosines.max(axis=1)), strict=True):
            if cosine >= near:
                found[text.name] = Duplicate(of=against[at].name, cosine=float(cosine), public=True)
    return found


def _near_within(
    texts: Sequence[NamedText], vectors: Mapping[str, npt.NDArray[np.float64]], near: float
) -> dict[str, Duplicate]:
    """Each text against those of its group that were kept before it, a block of them at a time."""
    rows = np.array([vectors[text.name] for text in texts])
    found: dict[str, Duplicate] = {}
    kept = np.zeros(0, dtype=np.int64)
    for start in range(0, len(texts), _BLOCK):
        here = np.arange(start, min(start + _BLOCK, len(texts)))
        others = np.concatenate([kept, here])
        cosines = _rounded(rows[here] @ rows[others].T)
        # A text is compared with earlier ones alone: it is nearest to itself, and a later one may not drop it.
        cosines[here[:, None] <= others] = -1.0
        may = np.ones(others.size, dtype=bool)
        # Nearly all texts are near to none, and only the others have to be gone through one after the other.
        for row in np.flatnonzero((cosines >= near).any(axis=1)).tolist():
            before = np.where(may, cosines[row], -1.0)
            best = int(before.argmax())
            if before[best] >= near:
                may[kept.size + row] = False
                found[texts[here[row]].name] = Duplicate(of=texts[others[best]].name, cosine=float(before[best]))
        kept = others[may]
    return found


def _rounded(cosines: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cosines to the digits that do not vary with what else is embedded or multiplied with them."""
    return np.round(cosines, DIGITS, out=cosines)


VECTORS = ".vectors.sqlite"
_WAIT = 60.0
"""Seconds to wait for another runner that writes."""
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"


class KeptVectors:
    """An embedder that asks another only for what does not yet lie in a folder, and keeps that there."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.identity = embedder.identity
        self._embedder, self._path = embedder, folder / VECTORS

    def __call__(self, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of some texts.

        Raises:
            InputError: the embedding model cannot be loaded.
            StorageError: the file cannot be read or written.
        """
        keys = [digest([self.identity, text], length=32) for text in texts]
        with self._opened() as file:
            found = {key: vector for key in keys if (vector := _kept(file, key)) is not None}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            made = dict(zip(new, (array("d", row) for row in self._embedder(list(new.values()))), strict=True))
            with self._opened() as file, file:
                rows = [(key, vector.tobytes()) for key, vector in made.items()]
                file.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            found |= made
        return [found[key] for key in keys]

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        own_folder(self._path.parent)
        own_file(self._path)
        try:
            with closing(sqlite3.connect(self._path, timeout=_WAIT)) as file:
                file.execute(_TABLE)
                yield file
        except sqlite3.DatabaseError as error:
            text = f"{self._path}: vectors cannot be kept in it ({error}); remove it, or make room."
            raise StorageError(text) from error


def _kept(file: sqlite3.Connection, key: str) -> "array[float] | None":
    row = file.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
    return None if row is None else array("d", row[0])
