"""How often a promise is drawn: some draws in the suite, more by `make soak`, and what chance may take of either."""

from math import sqrt

import pytest

RISKS = (0.05, 0.11, 0.17, 0.23, 0.29, 0.35)
"""Six levels of risk to be certified."""


def draws(few: int, many: int) -> pytest.MarkDecorator:
    """The argument `draws` of a test: few in the suite, many in its long form."""
    return pytest.mark.parametrize("draws", [few, pytest.param(many, marks=pytest.mark.soak)])


def luck(share: float, draws: int) -> float:
    """Three standard errors of a share of so many draws."""
    return 3 * sqrt(share * (1 - share) / draws)
