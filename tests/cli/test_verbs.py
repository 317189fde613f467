"""The table of verbs: each is acted on by a function of what can be typed after it."""

from importlib import import_module
from inspect import signature
from typing import get_args, get_type_hints

import pytest

from mores.cli.app import GROUPS, VERBS


@pytest.mark.parametrize("words", VERBS)
def test_what_acts_on_a_verb_takes_what_can_be_typed_after_it(words: str) -> None:
    options, act = VERBS[words]
    module, name = act.split(".")
    function = getattr(import_module(f"mores.cli.{module}"), name)
    (taken,) = signature(function).parameters
    kind = get_type_hints(function)[taken]
    assert options in {kind, *get_args(kind)}


def test_every_group_has_verbs() -> None:
    assert {words.rpartition(" ")[0] for words in VERBS} - {""} == set(GROUPS)
