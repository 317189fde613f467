"""A probe of a judge's habits: the same answer with and without neutral words after it, where the verdict must stay.

cases → their twins → judgements of both → how the share that passes moves. It needs no labels by people, and does not
say whether the judge is right: a judge may be steady and wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from mores.core.codec import build, read_toml
from mores.core.errors import InputError
from mores.judges.attacks.report import Passes
from mores.judges.judge import JudgeResult, JudgeSession
from mores.judges.rubric import Case, Rubric
from mores.stats.paired import Paired, compare_paired

FILE = Path(__file__).parent / "probes.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeWords:
    """Neutral paragraphs to pad an answer with, norms that no answer touches, what labels mean, other names."""

    padding: tuple[str, ...]
    placebo: tuple[str, ...]
    meanings: dict[str, str]
    renamed: dict[str, str]


@cache
def probe_words() -> ProbeWords:
    """The words of the probes' file."""
    return build(ProbeWords, read_toml(FILE), where=FILE.name)


class ShiftFigures(NamedTuple):
    """How a change that should not matter moves the share of passing answers: probed minus plain, over `graded` pairs.

    `paired.p` is McNemar's exact test.
    """

    asked: int
    graded: int
    paired: Paired


async def probe_verbosity(
    rubric: Rubric, cases: Sequence[Case], *, passes: Passes, sitting: JudgeSession, slot: str = "answer"
) -> ShiftFigures:
    """The same answers with and without a paragraph of neutral words after them.

    Args:
        rubric: Judges one thing.
        cases: The answers; each is taken as a cluster of its own.
        passes: Whether an opinion lets an answer pass.
        sitting: The judge.
        slot: Holds the answer.

    Raises:
        InputError: the rubric judges many ids, or as for `ask_judge`.
    """
    texts = probe_words().padding
    twins = [_padded(case, slot, texts[number % len(texts)]) for number, case in enumerate(cases)]
    plain, padded = await _judged(rubric, cases, sitting), await _judged(rubric, twins, sitting)
    pairs = [(passes(a.opinion), passes(b.opinion)) for a, b in zip(plain, padded, strict=True) if a and b]
    before, after = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    seed = sitting.seed.child("probe", "verbosity")
    return ShiftFigures(len(cases), len(pairs), compare_paired(after, before, range(len(pairs)), seed=seed))


def _padded(case: Case, slot: str, text: str) -> Case:
    if slot not in case.values:
        raise InputError(f"item '{case.tag.item}': no slot '{slot}' to probe; it has {sorted(case.values)}.")
    tag = structs.replace(case.tag, item=f"{case.tag.item}/padded")
    return structs.replace(case, values={**case.values, slot: f"{case.values[slot]}\n\n{text}"}, tag=tag)


async def _judged(rubric: Rubric, cases: Sequence[Case], sitting: JudgeSession) -> list[JudgeResult | None]:
    """What the judge says of each case, None where it gives no opinion."""
    if rubric.many:
        raise InputError(f"Rubric {rubric.name}: it judges many ids in one reply; expected one that judges one thing.")
    return [said if isinstance(said, JudgeResult) else None for said in await sitting.judge(rubric, cases)]
