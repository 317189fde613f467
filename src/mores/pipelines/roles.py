"""Roles of a pipeline: a writer, a checker that is another model, and a third who is the writer if nobody else.

And how much is made, in numbers that a person types.
"""

from collections.abc import Mapping, Sequence

from mores.core.card import Sampling
from mores.core.errors import InputError

WRITER, CHECKER, REFINER, LABELLER = "writer", "checker", "refiner", "labeller"
WRITING, READING = Sampling(temperature=0.7), Sampling(temperature=0.0)


def sampling_of(role: str) -> Sampling:
    """Sampling of a role's replies: freely for those who write, and the likeliest for those who read."""
    return WRITING if role in {WRITER, REFINER} else READING


def checked_roles(roles: Mapping[str, str], known: Sequence[str], does: str = "writes") -> dict[str, str]:
    """The roles of a pipeline, in the order of the `known` ones; the writer is the third too unless another is.

    `does` says what the writer and the third, if there is one, do, for messages.

    Raises:
        InputError: a role is missing or unknown, or the checker checks its own words.
    """
    other = [role for role in roles if role not in known]
    missing = [role for role in (WRITER, CHECKER) if role not in roles]
    if other or missing:
        wrong = f"--role {other[0]}" if other else f"no --role {missing[0]}=SPEC"
        third = next((role for role in known if role not in {WRITER, CHECKER}), "")
        more = f", a {CHECKER} and, if you like, a {third}" if third else f" and a {CHECKER}"
        raise InputError(f"{wrong}: expected a {WRITER}{more}.")
    full = {role: roles.get(role, roles[WRITER]) for role in known}
    if full[CHECKER] in {full[role] for role in known if role != CHECKER}:
        raise InputError(f"--role {CHECKER}={full[CHECKER]}: it {does} too; expected another model to check.")
    return full


def check_counts(**counts: int | None) -> None:
    """Return where each count, by the name of its flag, is above 0; None is none.

    Raises:
        InputError: one is not.

    >>> check_counts(limit=None, per_place=2)
    """
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InputError(f"--{name.replace('_', '-')} {count}: expected a positive number.")
