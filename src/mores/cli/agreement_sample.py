"""`mores judge sample`: work lists for people."""

from collections import Counter
from typing import cast, get_args

from mores.annotation.sample import RECORD, ROWS, SHEET, SampleSpec, Stratum, draw_sample, write_sample
from mores.cli import screen
from mores.cli.args_labels import SampleArgs
from mores.core.errors import InputError


def draw(typed: SampleArgs) -> None:
    """Draw a sample, write its work list, and say what was drawn.

    Raises:
        InputError: something typed cannot be used, or there is too little to draw.
    """
    stratify, splits = _listed(typed.stratify), _listed(typed.split)
    strange = [name for name in stratify if name not in get_args(Stratum)]
    if strange:
        raise InputError(f"--stratify {strange[0]}: expected some of {', '.join(get_args(Stratum))}.")
    if len(set(splits)) < len(splits):
        raise InputError(f"--split {','.join(splits)}: a name stands twice; expected names such as calibration,test.")
    wanted = SampleSpec(
        n=typed.n, tasks=typed.tasks, stratify=cast(tuple[Stratum, ...], stratify), one_per=typed.one_per,
        splits=splits, seed=typed.seed,
    )  # fmt: skip
    out = typed.out
    if (out / RECORD).exists():
        raise InputError(f"--out {out}: it already holds a sample, which is not overwritten; name a new folder.")
    sample, questions = draw_sample(typed.runs, wanted)
    write_sample(out, sample, questions)
    counts = Counter((row.benchmark, row.task, row.split) for row in sample.rows)
    screen.table(("benchmark", "task", "split", "rows"), [(*key, str(count)) for key, count in sorted(counts.items())])
    rate = "" if typed.one_per == "none" else f", one per {typed.one_per}"
    screen.line(f"{len(sample.rows)} of {sample.population:,} things that were judged{rate}.")
    screen.line(f"For people: {out / SHEET} or {out / ROWS}. Sealed, not for them: {out / RECORD}.")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
