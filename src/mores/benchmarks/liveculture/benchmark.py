"""LiveCultureBench: one resident's day in a town, lived by the subject and watched by a verifier.

The population is a file in the data's folder, or one that is sampled from the seed; norms are a file there, rows of
CultureBank there, or the bundled pack. Every resident is an item; `--targets N` takes so many, evenly over origins.
"""

from pathlib import Path

from mores.benchmarks.liveculture.town import TownBenchmark
from mores.core.card import Card

HERE = Path(__file__).parent


def benchmark(name: str) -> TownBenchmark:
    """The one benchmark of the family, `town`."""
    return TownBenchmark(card=Card.read(HERE / f"{name}.card.toml"))
