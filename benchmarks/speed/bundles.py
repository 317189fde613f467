"""How long a large norm base takes once it is embedded: `python -m benchmarks.speed.bundles [NORMS]`.

Norms of 200 places, eight domains and three topics each, with vectors of 384 numbers in a few heaps a pool, as a model
of embeddings gives them: duplicates are looked for within a place, then bundles are made.
"""

import argparse
import time
from resource import RUSAGE_SELF, getrusage
from typing import get_args

import numpy as np

from mores.core.arrays import Floats
from mores.core.norm import Domain
from mores.norms.places import places
from mores.pipelines.duplicates import NamedText, duplicates
from mores.pipelines.norms.bundles import bundles_of
from mores.pipelines.norms.norm_base_file import BuiltNorm

PLACES_USED, TOPICS, SIZE, HEAPS = 200, 3, 384, 4


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.bundles", description=__doc__.splitlines()[0])
    parser.add_argument("norms", type=int, nargs="?", default=40_000)
    norms, vectors = made(parser.parse_args().norms)
    texts = [NamedText(name=norm.id, words=norm.statement, within=norm.place) for norm in norms]
    named = dict(zip((norm.id for norm in norms), vectors, strict=True))
    for name, do in (
        ("duplicates", lambda: len(duplicates(texts, vectors=named))),
        ("bundles", lambda: len(bundles_of(norms, vectors)[0])),
    ):
        begun, used = time.perf_counter(), time.process_time()
        found = do()
        seconds, cpu = time.perf_counter() - begun, time.process_time() - used
        print(f"{name}: {found:,} of {len(norms):,} norms in {seconds:.1f} s, {cpu:.1f} s of CPU")
    print(f"at most {getrusage(RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def made(count: int) -> tuple[list[BuiltNorm], Floats]:
    """So many norms, and their vectors at length 1."""
    rng, domains = np.random.default_rng(0), get_args(Domain)
    known = [each.id for each in places()][:PLACES_USED]
    pools = len(known) * len(domains) * TOPICS
    pool, heap = np.arange(count) % pools, rng.integers(HEAPS, size=count)
    centres = rng.normal(size=(pools, SIZE))[pool] + 0.6 * rng.normal(size=(pools, HEAPS, SIZE))[pool, heap]
    vectors = centres + 0.4 * rng.normal(size=(count, SIZE))
    norms = [
        BuiltNorm(
            id=f"n{number:06}", place=known[at % len(known)], statement=f"Norm {number} is kept.", source="made",
            domain=domains[at // len(known) % len(domains)], topic=f"topic {at // len(known) // len(domains)}",
            strictness="no" if number % 3 else "sometimes",
        )
        for number, at in enumerate(pool.tolist())
    ]  # fmt: skip
    return norms, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
