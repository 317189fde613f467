"""Parts of a run as launchers deal them: a task reads in its environment which part it is, of how many.

Parts that a launcher numbers stand beside each other in one folder, DIR/part-I-of-N, which `mores merge DIR` takes.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mores.core.errors import InputError
from mores.runs.folder import MANIFEST
from mores.runs.selection import Shard

AUTO = "auto"
_PART = re.compile(r"part-(\d+)-of-(\d+)")


class Launcher(NamedTuple):
    """Variables by which a launcher numbers its tasks, from 0: the number, and how many there are where it says so."""

    name: str
    number: str
    total: str = ""
    first: str = ""
    step: str = ""


SLURM = Launcher(
    "Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"
)
LAUNCHERS = (
    SLURM,
    Launcher("AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"),
    Launcher("Kubernetes", "JOB_COMPLETION_INDEX"),
    Launcher("SkyPilot", "SKYPILOT_NODE_RANK", "SKYPILOT_NUM_NODES"),
    Launcher("torchrun", "RANK", "WORLD_SIZE"),
)
"""Launchers in the order in which they are looked for: what is started within another stands below it."""


def shard_of_task(environment: Mapping[str, str], parts: int | None) -> Shard:
    """The part of a run that this task is to ask; `parts` is needed where the launcher does not count its tasks.

    Raises:
        InputError: no launcher numbers this task, or its numbers are those of no whole array.
    """
    found = next((each for each in LAUNCHERS if environment.get(each.number)), None)
    if found is None:
        names = ", ".join(each.number for each in LAUNCHERS)
        raise InputError(f"--shard auto: none of {names} is set; expected a task of an array, or --shard I/N.")
    first, step = (_number(environment, name, otherwise) for name, otherwise in ((found.first, 0), (found.step, 1)))
    count = _number(environment, found.total, 0) or parts
    if count is None:
        raise InputError(f"--shard auto: {found.number} is set, and not how many tasks there are; add --parts N.")
    if parts not in {None, count}:
        raise InputError(f"--shard auto --parts {parts}: {found.total} says {count}; expected the same number.")
    place, left = divmod(_number(environment, found.number, 0) - first, max(1, step))
    # Failed tasks that are handed in again make an array of their own, in which Slurm counts them alone.
    if left or not 0 <= place < count or (found is SLURM and count == 1) or _has_gaps(environment, found, count, step):
        raise InputError(
            f"--shard auto: task {environment[found.number]} of an array of {count} in {found.name} is no part of a "
            f"whole one, such as 1-8; where it was handed in again alone, name its part: --shard I/N --out "
            "DIR/part-I-of-N."
        )
    return Shard(place + 1, count)


def _number(environment: Mapping[str, str], name: str, otherwise: int) -> int:
    written = environment.get(name, "") if name else ""
    if not written:
        return otherwise
    if not written.isdecimal():
        raise InputError(f"--shard auto: {name}={written[:40]}; expected a number, 0 or more.")
    return int(written)


def _has_gaps(environment: Mapping[str, str], launcher: Launcher, count: int, step: int) -> bool:
    """True of an array such as 3,7, whose tasks are not every `step`-th number."""
    if launcher is not SLURM or "SLURM_ARRAY_TASK_MAX" not in environment:
        return False
    first, last = (_number(environment, name, 0) for name in (launcher.first, "SLURM_ARRAY_TASK_MAX"))
    return last - first != (count - 1) * step


def part_folder(folder: Path, shard: Shard) -> Path:
    """The folder of one part within that of all.

    Raises:
        InputError: other parts lie there, of another number.
    """
    for path in folder.glob("part-*-of-*"):
        found = _PART.fullmatch(path.name)
        if found is not None and int(found[2]) != shard.of:
            raise InputError(f"--out {folder}: it holds {path.name}, and this is part {shard}; use another folder.")
    return folder / f"part-{shard.number}-of-{shard.of}"


def parts_folder(folder: Path) -> Path:
    """The folder beside a run's own in which its parts lie, where one launcher asks them all."""
    return folder.with_name(f"{folder.name}-parts")


def parts_of(folder: Path) -> int | None:
    """The number of parts of which some lie in a folder; None where there are none."""
    found = (_PART.fullmatch(path.name) for path in folder.glob("part-*-of-*"))
    return next((int(name[2]) for name in found if name), None)


def parts_in(folders: Sequence[Path]) -> list[Path]:
    """Runs as they are named, and of a folder of parts those in it that were begun.

    Raises:
        InputError: a folder is neither a run nor has a part in it.
    """
    found: list[Path] = []
    for folder in folders:
        if (folder / MANIFEST).is_file() or not folder.is_dir():
            found.append(folder)
            continue
        parts = [each for each in folder.iterdir() if _PART.fullmatch(each.name) and (each / MANIFEST).is_file()]
        if not parts:
            raise InputError(f"{folder}: no run and no parts; expected {MANIFEST}, or folders such as part-1-of-8.")
        found += sorted(parts, key=lambda each: [int(number) for number in _PART.findall(each.name)[0]])
    return found
