"""Errors are one line that says what came and what to do."""

import pytest

from mores.core.errors import BudgetReached, InputError, MoresError, RunError, StorageError, UnknownName, Unreachable


@pytest.mark.parametrize(
    ("name", "near"),
    [("culturalbench/hrad", "culturalbench/hard"), ("CULTURALBENCH/EASY", "culturalbench/easy"), ("laddr", "Ladder")],
)
def test_a_name_nearly_right_brings_the_right_one(name: str, near: str) -> None:
    error = UnknownName("benchmark", name, ["culturalbench/easy", "culturalbench/hard", "Ladder"])
    assert f"No benchmark is called '{name}'. Did you mean " in str(error)
    assert f"'{near}'" in str(error)


def test_a_name_far_from_all_brings_no_guess() -> None:
    assert str(UnknownName("place", "zzz", ["Japan"])) == "No place is called 'zzz'."


def test_where_and_what_to_do_stand_around_the_name() -> None:
    error = UnknownName("fact", "famly", ["family"], todo="List them: mores list.", where="--fact")
    assert str(error) == "--fact: No fact is called 'famly'. Did you mean 'family'? List them: mores list."


def test_input_is_the_callers_fault_and_the_rest_can_be_resumed() -> None:
    assert issubclass(UnknownName, InputError)
    assert not issubclass(InputError, RunError)
    for kind in (BudgetReached, Unreachable, StorageError):
        assert issubclass(kind, RunError)
        assert issubclass(kind, MoresError)
