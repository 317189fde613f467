"""`mores town population`: the people of a town, sampled into a file."""

import sys
from pathlib import Path

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.worlds.town.draws import Sampler
from mores.worlds.town.population_files import suffix_of, write_population
from mores.worlds.town.sampling import Settings, sample_population
from mores.worlds.town.streets import build_town


def make_population(out: Path, *, size: int, seed: int, sampler: Sampler, settings: Settings) -> None:
    """Sample a town and its people into a new file, and print how many they are and where they lie.

    Raises:
        InputError: the size cannot be had, or the file exists, has no folder to lie in, or another suffix.
    """
    suffix_of(out)
    if out.exists() or out.is_symlink():
        raise InputError(f"--out {out}: it exists and is left as it is; choose another file.")
    if not out.parent.is_dir():
        raise InputError(f"--out {out}: no folder {out.parent}; make it first.")
    dice = Seed("town").child(seed)
    town = build_town(dice.child("streets"))
    people = sample_population(size, dice.child("people"), town=town, sampler=sampler, settings=settings)
    write_population(people, out)
    sys.stdout.write(
        f"{len(people):,} people in {people.households:,} households with {len(people.ties) // 2:,} ties between two "
        f"of them: {out} (fingerprint {people.fingerprint}).\n"
    )
