"""A figure that a person sees: its value, interval, counts and what it would be at worst and at best."""

from collections.abc import Mapping, Sequence
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
NO_UNIT_DIFFERS = Missing(code="no_unit_differs")
SHOWS_NO_DIFFERENCE = Missing(code="shows_no_difference")
"""Why there is no minimum detectable effect: it is not known, or beyond the range of the metric."""


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


def cautioned(figure: Estimate, caution: Caution | None) -> Estimate:
    """A figure with what has to be known of it; as it is where that is nothing."""
    if caution is None:
        return figure
    return Cautioned(**{name: getattr(figure, name) for name in Estimate.__struct_fields__}, caution=caution)


def caution_of(figure: object) -> Caution | None:
    """What has to be known of a figure or a difference; None where there is nothing."""
    caution = getattr(figure, "caution", None)
    return caution if isinstance(caution, Caution) else None


def gravest(cautions: Sequence[Caution | None]) -> Caution | None:
    """What has to be known of what is made of several figures: the gravest of theirs, where half of them have one.

    Of the two sides of a difference one is enough; the counts said are its own.

    >>> gravest([None, Caution(code="answers_cut", n=6, of=10), Caution(code="answers_refused", n=9, of=10)]).code
    'answers_refused'
    >>> gravest([None, None, Caution(code="answers_cut", n=6, of=10)])
    """
    known = [caution for caution in cautions if caution is not None]
    return max(known, key=lambda caution: caution.n / caution.of) if known and 2 * len(known) >= len(cautions) else None


class CommonScale(Struct, frozen=True, kw_only=True):
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
