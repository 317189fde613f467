"""`mores build values`: on which questions the people of which countries agree."""

import re
from collections.abc import Sequence

from mores.cli import screen
from mores.cli.args_build import ValuesArgs
from mores.core.errors import InputError
from mores.core.files import write_new
from mores.pipelines.consensus import ValuesOptions, values_of
from mores.tables import formatting as words
from mores.tables.missing_texts import plain_fields


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
