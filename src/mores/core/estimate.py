"""A figure that a person sees: its value, interval, counts and what it would be at worst and at best."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Why a figure, or its interval, is not there: a code that `blocks.reasons` puts into words.

    `n` things of which `needed` are needed, or `n` things `of` all; `figures` are what was measured, and `because` is
    the reason within a reason. `told` is what no code can say, such as a file's name; a code that `blocks.reasons`
    does not know stands for these words alone.
    """

    code: str
    n: int = 0
    needed: int = 0
    of: int = 0
    told: str = ""
    figures: tuple[float, ...] = ()
    because: "Missing | None" = None


AS_TOLD = "as_told"
"""The code of words that came as words, as from a run of before there were codes."""
_FAILED = "failed_in_code"
NOTHING_GRADED = Missing(code="nothing_graded")


def failed_in_code(sentence: str) -> Missing:
    """Why there is no figure where the code that makes it failed."""
    return Missing(code=_FAILED, told=sentence)


def has_failed(missing: Missing | None) -> bool:
    """True where code failed, so that there may be a figure once it is mended."""
    return missing is not None and missing.code == _FAILED


class Caution(Struct, frozen=True, kw_only=True):
    """What a reader has to know of figures that are there: a code, `n` things `of` how many, and what they are.

    `words` are names (a label, a place, a file), `size` and `p` what was measured and tested. Reports put it into
    words.
    """

    code: str
    n: int = 0
    of: int = 0
    words: tuple[str, ...] = ()
    size: float | None = None
    p: float | None = None


class Estimate(Struct, frozen=True, kw_only=True):
    """One figure of one group.

    `asked` and `graded` count the metric's own unit. `worst` and `best` are the value if every ungraded unit
    were wrong or right. `p` is of the test that the metric stands for, if it does for one. A missing value or
    interval is None, with `missing`, which may also say what has to be known of a figure; `method` names the interval.
    """

    metric: str
    group: dict[str, str] = field(default_factory=dict)
    value: float | None
    low: float | None = None
    high: float | None = None
    asked: int
    graded: int
    worst: float | None = None
    best: float | None = None
    method: str = ""
    p: float | None = None
    missing: Missing | None = None


class Cautioned(Estimate, frozen=True, kw_only=True):
    """A figure of answers most of which cannot be used, or all of which are alike: every medium writes its mark."""

    caution: Caution

    @classmethod
    def of(cls, figure: Estimate, caution: Caution) -> "Cautioned":
        """A figure with what has to be known of it."""
        return cls(**{name: getattr(figure, name) for name in Estimate.__struct_fields__}, caution=caution)


def caution_of(figure: Estimate | None) -> Caution | None:
    """What has to be known of a figure; None where there is nothing."""
    return figure.caution if isinstance(figure, Cautioned) else None


class Scale(Struct, frozen=True, kw_only=True):
    """Figures of several benchmarks on one scale, where their headlines could not be read side by side.

    `titles` are short names of the benchmarks in their order; `figures` stand by the folder of what was run, as shares
    of the whole scale: 0 is guessing, 1 all right. `name` is what is counted, and `says` how to read it. `falls` are
    those at which a model breaks.
    """

    name: str
    says: str
    titles: Mapping[str, str]
    figures: Mapping[Path, Estimate]
    falls: frozenset[Path] = frozenset()
