"""Codes of rows that people's tools and spreadsheets take along and that come back by them.

A code is twelve letters, none of them a vowel or a hexadecimal digit: no program takes it for a number (6E12), a date
(MAR1), a truth value or a formula. Sheets made before have hexadecimal codes, of which the spreadsheet changes those
that are numbers to it; both spell the same hash, so either is known by the other.
"""

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from mores.core.codec import digest

_DIGITS, _LETTERS = "0123456789abcdef", "ghjkmnpqrstvwxyz"
_TO_LETTERS, _TO_DIGITS = str.maketrans(_DIGITS, _LETTERS), str.maketrans(_LETTERS, _DIGITS)
_LENGTH = 12
_NUMBER = re.compile(r"[+-]?\d+([.,]\d*)?(e[+-]?\d{1,4})?", re.IGNORECASE)
_AROUND = " \t\r\n\u00a0\u200b\ufeff'\"`"
"""What spreadsheets and tools leave around a cell."""
_LEAST = 3
"""Digits that must agree at least, where a spreadsheet has rounded a number."""
CODE = re.compile(rf"(?<![0-9a-z])([{_LETTERS}]{{{_LENGTH}}}|[{_DIGITS}]{{{_LENGTH}}})(?![0-9a-z])", re.IGNORECASE)
"""A code of either spelling within other words."""


def row_code(value: object) -> str:
    """The code of a row: of equal values the same one, and in the same order as their hashes.

    >>> row_code(["a row"]).isalpha()
    True
    """
    return digest(value, length=_LENGTH).translate(_TO_LETTERS)


class FoundCode(NamedTuple):
    """A code that is known, and whether it had to be made out from a number that a spreadsheet left of it."""

    code: str
    restored: bool = False


class RowCodes:
    """The codes of some rows, to look up what came back of them.

    >>> codes = RowCodes(["641264123456", "000000007000", "ghjkghjkghjk"])
    >>> codes.find("6.41264E+11"), codes.find("7000.0"), codes.find("GHJKghjkghjk").code
    (FoundCode(code='641264123456', restored=True), FoundCode(code='000000007000', restored=True), 'ghjkghjkghjk')
    >>> codes.find("6.4E+11") is None
    True
    """

    def __init__(self, known: Iterable[str]) -> None:
        known = tuple(known)
        self._by_name = {other: code for code in known for other in _spellings(code)}
        # Last, so that a code as it is goes before the other spelling of another one.
        self._by_name |= {code: code for code in known}
        numbers = [(code, _number(name)) for code in known for name in _spellings(code)]
        self._numbers = [(code, number) for code, number in numbers if number is not None]

    def find(self, cell: str) -> FoundCode | None:
        """The row that a cell names; None where it names none, or as a number could be several."""
        cell = cell.strip(_AROUND)
        code = self._by_name.get(cell) or self._by_name.get(cell.casefold())
        if code is not None:
            return FoundCode(code)
        number = _number(cell)
        if number is None:
            return None
        fitting = {code for code, known in self._numbers if known == number}
        fitting = fitting or {code for code, known in self._numbers if _rounded_to(number, known)}
        return FoundCode(fitting.pop(), restored=True) if len(fitting) == 1 else None


def _spellings(code: str) -> tuple[str, ...]:
    """A code in small letters, and its other spelling where it is one of ours."""
    small = code.casefold()
    if len(code) != _LENGTH:
        return (small,)
    if set(small) <= set(_LETTERS):
        return small, small.translate(_TO_DIGITS)
    return (small, small.translate(_TO_LETTERS)) if set(small) <= set(_DIGITS) else (small,)


def _number(cell: str) -> Decimal | None:
    """Number that a spreadsheet reads a cell as; None where it keeps the text, as it does of numbers past all use."""
    if not _NUMBER.fullmatch(cell.strip()):
        return None
    try:
        number = Decimal(cell.strip().replace(",", "."))
    except InvalidOperation:  # pragma: no cover - the pattern lets nothing through that is none
        return None
    return number if number.is_zero() or abs(number.adjusted()) <= 307 else None


def _rounded_to(shown: Decimal, known: Decimal) -> bool:
    """True where a number is another one, rounded to the digits that it shows."""
    digits = len("".join(map(str, shown.as_tuple().digits)).strip("0"))
    # A number that is rounded up may have a digit more: 9.99 as 10.
    if digits < _LEAST or shown.adjusted() - known.adjusted() not in {0, 1}:
        return False
    step = Decimal(1).scaleb(shown.adjusted() - digits + 1)
    return abs(shown - known) * 2 <= step
