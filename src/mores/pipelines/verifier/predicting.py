"""What a verifier says of pairs in a file: a row a pair, with a probability for each label and the likeliest."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.files import refuse_taken, write_new
from mores.core.sheets import sheet
from mores.models.trained import STANDS
from mores.pipelines.verifier.pairs import Pair, read_pairs
from mores.pipelines.verifier.raters import Said, Weighing

COLUMNS = ("id", *STANDS, "label", "cause")
DIGITS = 6


def predict(verifier: str, source: Path, out: Path) -> tuple[Said, ...]:
    """What the verifier says of each pair, in their order, written as CSV or, for `.jsonl`, as JSON Lines.

    Raises:
        InputError: a file cannot be used, there is no such verifier, or a file is there already.
        StorageError: the disk is full, read-only or gone.
    """
    if out.suffix not in {".csv", ".jsonl"}:
        raise InputError(f"--out {out}: expected a new file that ends in .csv or .jsonl.")
    refuse_taken(out)
    pairs = read_pairs(source, with_labels=False)
    said = tuple(Weighing(verifier).say(pairs))
    rows = list(_rows(pairs, said))
    lines = b"".join(encode(dict(zip(COLUMNS, row, strict=True))) + b"\n" for row in rows)
    write_new(out, lines if out.suffix == ".jsonl" else sheet(COLUMNS, rows, encoding="utf-8"))
    return said


def _rows(pairs: Sequence[Pair], said: Sequence[Said]) -> Iterator[tuple[str | float | None, ...]]:
    for pair, each in zip(pairs, said, strict=True):
        shares = (round(share, DIGITS) for share in each.shares) if each.shares else (None for _ in STANDS)
        yield pair.id, *shares, each.label, each.cause
