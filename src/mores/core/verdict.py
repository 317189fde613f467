"""A verdict is Graded or Ungraded: a judge that failed has not given a zero.

The subject's unusable answer is Graded, zero, with its fault; a failure of the judge, the network or our
parser is Ungraded with its cause, never averaged and never dropped in silence.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from mores.core.codec import build, encode, parse_json
from mores.core.errors import InputError
from mores.core.item import About

Fault = Literal["format_error", "refusal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A grade: points (0–1 for shares), the label that was read, the gold one, and why."""

    about: About
    sample: int
    task: str
    points: float
    label: str | None = None
    gold: str | None = None
    fault: Fault | None = None
    reason: str = ""
    verdict: Literal["graded"] = "graded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ungraded:
    """No grade: whose failure it was, and the raw words if there were any."""

    about: About
    sample: int
    task: str
    cause: str
    raw: str = ""
    gold: str | None = None
    verdict: Literal["ungraded"] = "ungraded"


Verdict = Graded | Ungraded


def encode_verdicts(verdicts: Iterable[Verdict]) -> bytes:
    """JSON Lines of verdicts, a line each."""
    return b"".join(encode(v) + b"\n" for v in verdicts)


def decode_verdicts(lines: Iterable[bytes], *, where: str) -> Iterator[Verdict]:
    """Verdicts of a JSON Lines file.

    Raises:
        InputError: a line is no verdict; the message names the line.
    """
    abouts: dict[tuple[object, ...], About] = {}
    for number, line in enumerate(lines, start=1):
        spot = f"{where}:{number}"
        row = parse_json(line, where=spot)
        yield _verdict(row, abouts, spot)


def _verdict(row: object, abouts: dict[tuple[object, ...], About], spot: str) -> Verdict:
    kinds: dict[object, type[Graded | Ungraded]] = {"graded": Graded, "ungraded": Ungraded}
    kind = kinds.get(row.get("verdict")) if isinstance(row, dict) else None
    if kind is None or not isinstance(row, dict):
        raise InputError(f"{spot}: no verdict; expected a line with 'verdict' graded or ungraded.")
    about = row.get("about")
    try:
        if not isinstance(about, dict):
            raise TypeError
        name = (about.get("item"), about.get("unit"), about.get("cluster"))
        if name not in abouts:
            abouts[name] = build(About, about, where=spot)
        return kind(**{**row, "about": abouts[name]})
    except TypeError:
        return build(kind, row, where=spot)
