"""Answers that people gave to a form of the studio, as its export `answers.csv` has them."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mores.core.codec import read_text
from mores.core.errors import InputError

COLUMNS = frozenset({"id", "question", "answer", "person"})


class FormAnswer(NamedTuple):
    """One person's answer to one question about one item; `where` is its line of the file."""

    where: str
    item: str
    question: str
    answer: str
    person: str


def read_form_answers(path: Path, of: str) -> Iterator[FormAnswer]:
    """The answers in a file, line by line; `of` ends the sentence on what was expected.

    Raises:
        InputError: the file cannot be read, or is no such export.
    """
    rows = csv.DictReader(io.StringIO(read_text(path)), restval="")
    if not set(rows.fieldnames or ()) >= COLUMNS:
        raise InputError(f"{path}: no answers to a form; expected answers.csv of the studio's export of {of}.")
    for number, row in enumerate(rows, start=2):
        yield FormAnswer(f"{path}:{number}", row["id"], row["question"], row["answer"], row["person"])
