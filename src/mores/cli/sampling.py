"""`mores agreement sample` and `mores agreement simulate`: work lists for people, and simulated people."""

from collections import Counter
from pathlib import Path
from typing import cast

from mores.cli import screen
from mores.core.errors import InputError
from mores.people.sample import (
    RECORD,
    ROWS,
    SHEET,
    STRATA,
    OnePer,
    Stratum,
    Wanted,
    draw_sample,
    read_sample,
    write_sample,
)
from mores.people.simulated import People, simulate_labels, write_labels


def draw(  # noqa: PLR0913 - the options of one verb
    runs: tuple[Path, ...], out: Path, *, tasks: tuple[str, ...], n: int, stratify: tuple[str, ...], one_per: str,
    splits: tuple[str, ...], seed: int,
) -> None:  # fmt: skip
    """Draw a sample, write its work list, and say what was drawn.

    Raises:
        InputError: something typed cannot be used, or there is too little to draw.
    """
    strange = [name for name in stratify if name not in STRATA]
    if strange:
        raise InputError(f"--stratify {strange[0]}: expected some of {', '.join(STRATA)}.")
    if len(set(splits)) < len(splits):
        raise InputError(f"--split {','.join(splits)}: a name stands twice; expected names such as calibration,test.")
    wanted = Wanted(
        n=n, tasks=tasks, stratify=cast(tuple[Stratum, ...], stratify), one_per=cast(OnePer, one_per), splits=splits,
        seed=seed,
    )  # fmt: skip
    if (out / RECORD).exists():
        raise InputError(f"--out {out}: it holds a sample already, which is not overwritten; name a new folder.")
    sample, questions = draw_sample(runs, wanted)
    write_sample(out, sample, questions)
    counts = Counter((row.benchmark, row.task, row.split) for row in sample.rows)
    screen.table(("benchmark", "task", "split", "rows"), [(*key, str(count)) for key, count in sorted(counts.items())])
    rate = "" if one_per == "none" else f", one per {one_per}"
    screen.line(f"{len(sample.rows)} of {sample.population:,} things that were judged{rate}.")
    screen.line(f"For people: {out / SHEET} or {out / ROWS}. Sealed, not for them: {out / RECORD}.")


def simulate(  # noqa: PLR0913
    runs: tuple[Path, ...], out: Path, sample: Path | None, *, people: int, accuracy: str, noise: float, seed: int
) -> None:
    """Write labels of simulated people.

    Raises:
        InputError: a number cannot be used, the file is there, or the subject is real.
    """
    try:
        chances = tuple(float(part) for part in accuracy.split(","))
    except ValueError as error:
        raise InputError(f"--accuracy {accuracy}: expected chances from 0 to 1, such as 0.95 or 0.9,0.8.") from error
    crowd = People(count=people, accuracy=chances, noise=noise, seed=seed)
    if out.exists():
        raise InputError(f"--out {out}: it is there already and is not overwritten; name a new file.")
    rows = simulate_labels(runs, None if sample is None else read_sample(sample), crowd)
    write_labels(out, rows)
    screen.line(f"Simulated: {len(rows):,} labels of {people} made-up people, right with chance {accuracy}: {out}")
