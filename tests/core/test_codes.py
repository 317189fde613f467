"""Codes of rows: no spreadsheet changes one, and what it made of an older one is read back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.codes import CODE, RowCodes, row_code

OLD = st.from_regex(r"[0-9a-f]{12}", fullmatch=True)
NUMBER = re.compile(r"\d+(e\d+)?", re.IGNORECASE)


def opened(cell: str, digits: int = 6) -> str:
    """What is left of a cell when a spreadsheet opens a table and saves it again."""
    if not NUMBER.fullmatch(cell) or float(cell) > 1e308:
        return cell
    number = float(cell)
    return f"{number:.{digits - 1}E}" if number >= 1e11 else f"{number:.0f}"


@given(st.lists(st.text(max_size=5), max_size=4))
def test_a_code_is_letters_that_no_number_date_or_truth_value_has(value: list[str]) -> None:
    code = row_code(value)
    assert re.fullmatch("[ghjkmnpqrstvwxyz]{12}", code)
    assert code == row_code(value)
    assert set(CODE.findall(f"Q_{code} {code}.")) == {code}


def test_codes_stand_in_the_order_of_the_hashes_that_they_spell() -> None:
    codes = [row_code(number) for number in range(50)]
    hashes = [next(iter(RowCodes([code])._by_name.keys() - {code})) for code in codes]
    assert sorted(range(50), key=codes.__getitem__) == sorted(range(50), key=hashes.__getitem__)


@given(st.lists(OLD, min_size=1, max_size=30, unique=True))
def test_an_older_code_is_found_by_itself_in_any_case_and_by_its_new_spelling(known: list[str]) -> None:
    codes = RowCodes(known)
    for code in known:
        other = code.translate(str.maketrans("0123456789abcdef", "ghjkmnpqrstvwxyz"))
        for told in (code, code.upper(), other, other.title()):
            found = codes.find(told)
            assert found is not None
            assert (found.code, found.restored) == (code, False)


@given(st.lists(st.from_regex(r"0{0,9}[1-9][0-9]{2,11}", fullmatch=True).filter(lambda c: len(c) == 12), min_size=1,
                max_size=20, unique=True), st.integers(6, 15))  # fmt: skip
def test_a_number_that_fits_one_code_is_it_and_one_that_fits_several_is_none(known: list[str], digits: int) -> None:
    codes, left = RowCodes(known), [opened(code, digits) for code in known]
    for code, told in zip(known, left, strict=True):
        found = codes.find(told)
        assert found is None or found.code == code
        if left.count(told) == 1 and sum(f"{float(c):.5E}" == f"{float(code):.5E}" for c in known) == 1:
            significant = told.partition("E")[0].replace(".", "").strip("0")
            assert found is not None or len(significant) < 3


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("641264123456", "6.41264E+11"), ("641264123456", "6,41264E+11"), ("641264123456", "641264000000"),
        ("641264123456", "641264000000.0"), ("000000007000", "7000"), ("000000007000", "7000.0"),
        ("012345678901", "12345678901"), ("0000739280e5", "7.3928E+10"),
        ("0000739280e5", "73928000000"), ("123456789e12", "1.23457E+20"),
    ],
)  # fmt: skip
def test_what_a_spreadsheet_made_of_a_code_is_read_back(code: str, told: str) -> None:
    found = RowCodes([code, "999999999999", "abcdefabcdef"]).find(told)
    assert found == (code, True)


@pytest.mark.parametrize("told", ["7001", "6.4E+11", "1", "0", "", "nan", "1e99999", "9" * 5000, "TRUE", "1-Mar"])
def test_a_number_of_a_tools_own_is_no_code(told: str) -> None:
    assert RowCodes(["641264123456", "000000007000", "641000000000"]).find(told) is None


@pytest.mark.parametrize("around", [" {} ", "'{}", "\ufeff{}\u00a0", '"{}"', "\t{}\n"])
def test_what_spreadsheets_leave_around_a_code_is_not_of_it(around: str) -> None:
    code = row_code(1)
    found = RowCodes([code]).find(around.format(code.upper()))
    assert found is not None
    assert found.code == code
