"""Mix of a release of scenarios: which share is asked for a yes, and how many there are of each level of specificity.

SpecNorm has 65 % yes, 37 % low, 5.5 % high, and the rest medium (CURE, sec. 1).
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from mores.benchmarks.cure.data import specificity
from mores.core.codec import digest
from mores.core.errors import InputError, UnknownName
from mores.core.seeds import Seed
from mores.pipelines.subgroups.prompts import BuiltSubgroupScenario, YesNoLabel

LEVELS = ("low", "medium", "high")
NEAR = 0.001
"""How far shares may add up from 1."""
_STANCES = Seed("subgroups/stance")
"""The same in every build: which label a statement is asked for is part of the release, not of a build."""


class ScenarioMix(Struct, frozen=True, kw_only=True):
    """Share of statements that are asked for a yes, and shares of levels among scenarios; none takes them as they come.

    Raises:
        InputError: the share of yes is not between 0 and 1.
    """

    yes: float = 0.5
    levels: Mapping[str, float] = MappingProxyType({})

    def __post_init__(self) -> None:
        """The share of yes is one."""
        if not 0 <= self.yes <= 1:
            raise InputError(f"--yes-share {self.yes:g}: expected a share from 0 to 1, such as .65.")

    def label_of(self, statement: str) -> YesNoLabel:
        """The answer that a statement is asked a scenario for, by a hash of its id: with a greater share more are yes.

        >>> ScenarioMix(yes=1.0).label_of("s1"), ScenarioMix(yes=0.0).label_of("s1")
        ('yes', 'no')
        """
        return "yes" if _STANCES.child(statement).uniform() < self.yes else "no"


def level_shares(given: Mapping[str, str]) -> dict[str, float]:
    """Shares of levels by name, as they are typed.

    Raises:
        InputError: one is no share, or they do not add up to 1.
        UnknownName: there is no such level.

    >>> level_shares({"low": ".4", "medium": ".6"})
    {'low': 0.4, 'medium': 0.6, 'high': 0.0}
    """
    if not given:
        return {}
    for name, typed in given.items():
        if name not in LEVELS:
            raise UnknownName("level", name, LEVELS, where="--level", todo=f"Known are {', '.join(LEVELS)}.")
        if not _is_share(typed):
            raise InputError(f"--level {name}={typed}: expected a share from 0 to 1, such as .37.")
    shares = {name: float(given.get(name, 0)) for name in LEVELS}
    total = sum(shares.values())
    if abs(total - 1) > NEAR:
        listed = ", ".join(f"{name} {share:g}" for name, share in shares.items())
        raise InputError(f"--level: {listed} add up to {total:g}; expected 1.")
    return shares


def _is_share(typed: str) -> bool:
    try:
        return 0 <= float(typed) <= 1
    except ValueError:
        return False


def level_of(built: BuiltSubgroupScenario) -> str:
    """Specificity of a scenario's persona."""
    return specificity(tuple(built.cues))


def in_shares(
    built: Sequence[BuiltSubgroupScenario], shares: Mapping[str, float]
) -> tuple[list[BuiltSubgroupScenario], list[BuiltSubgroupScenario]]:
    """As many scenarios as have these shares of levels, by hashes, and the others; all without shares.

    Whoever is in short supply decides how many: of a level that nobody asked for there is none.
    """
    if not shares:
        return list(built), []
    by_level = {level: [each for each in built if level_of(each) == level] for level in LEVELS}
    wanted = {level: share for level, share in shares.items() if share > 0}
    # Half a scenario may be lacking, as numbers are rounded.
    whole = min((len(by_level[level]) + 0.5) / share for level, share in wanted.items())
    kept: set[str] = set()
    for level, share in wanted.items():
        ordered = sorted(by_level[level], key=lambda each: digest(each.statement.id))
        kept.update(each.statement.id for each in ordered[: min(round(whole * share), len(ordered))])
    return [each for each in built if each.statement.id in kept], [e for e in built if e.statement.id not in kept]
