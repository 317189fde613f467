"""Numbers that a person types for a build, such as how many units it takes at most."""

from mores.core.errors import InputError


def check_counts(**counts: int | None) -> None:
    """Return where each count, by the name of its flag, is above 0; None is none.

    Raises:
        InputError: one is not.

    >>> check_counts(limit=None, per_place=2)
    """
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InputError(f"--{name.replace('_', '-')} {count}: expected a positive number.")
