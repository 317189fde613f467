"""Builds that ask no model and read a table: values of a survey."""

# ruff: noqa: RUF009 - `option` makes a field
import re
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path

from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.pipelines.consensus import ValuesOptions, values_of
from mores.runs.options import argument, option
from mores.tables import formatting as words
from mores.tables.missing_texts import plain_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuesArgs:
    """Find the questions of a survey of values on which the people of a country agree."""

    responses: Path = argument("Responses as the World Values Survey has them (CSV).", MISSING)
    out: Path = option("New file of the pairs (.csv).", default=MISSING)
    question: list[str] | None = option("Column of a question; repeatable; default: all called Q and a number.")
    together: list[str] | None = option("QUESTION=CODE,CODE: codes that count as one answer; repeatable.")
    threshold: float = option("Share above which people agree.", default=0.8)
    least: int = option("Respondents that a country needs.", default=100)
    country: str = option("Column of the country.", default="B_COUNTRY_ALPHA")
    weight: str = option("Column of weights; all count alike where it is not there.", default="W_WEIGHT")
    json: bool = AS_JSON


def build_values(typed: ValuesArgs) -> None:
    """Write the pairs on which people agree, and print how many there are.

    Raises:
        InputError: the responses cannot be read, or a file is there already.
    """
    options = ValuesOptions(
        source=typed.responses, questions=tuple(typed.question or ()), together=grouped(typed.together or ()),
        threshold=typed.threshold, least=typed.least, country=typed.country, weight=typed.weight,
    )  # fmt: skip
    found = values_of(options)
    write_new(typed.out, found.table)
    if typed.json:
        screen.print_json({"out": str(typed.out), **plain_fields(found)})
        return
    places = len({each.place for each in found.kept})
    screen.line(
        f"{typed.out}: {len(found.kept):,} of {found.pairs:,} pairs of a question and a country, in {places} of which "
        f"over {words.format_whole(options.threshold)}% agree; {found.respondents:,} respondents."
    )
    if found.few:
        screen.line(f"{found.few:,} pairs have fewer than {options.least:,} respondents.")
    for name, count in found.unknown.items():
        screen.line(f"{name} names no country that is known: {count:,} respondents left out.")


def grouped(given: Sequence[str]) -> dict[str, tuple[tuple[int, ...], ...]]:
    """Codes that count as one answer, by question, from `Q28=1,2`.

    Raises:
        InputError: an entry is not QUESTION=CODE,CODE.
    """
    found: dict[str, tuple[tuple[int, ...], ...]] = {}
    for entry in given:
        question, _, codes = entry.partition("=")
        parts = codes.split(",")
        if not question or not all(re.fullmatch(r"\s*[0-9]{1,9}\s*", part) for part in parts):
            raise InputError(f"--together {entry}: expected QUESTION=CODE,CODE, such as Q28=1,2.")
        found[question] = (*found.get(question, ()), tuple(int(part) for part in parts))
    return found
