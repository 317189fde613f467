"""CURE: a situation judged by its place's or group's norms, thin (one word) and thick (a label and its reasons)."""

from mores.benchmarks.benchmark import Benchmark
from mores.benchmarks.cure.thick import thick
from mores.benchmarks.cure.thin import thin


def benchmark(name: str) -> Benchmark:
    """One of `normad`, `casa`, `culturebank` and `specnorm`, each `_thin` or `_thick`."""
    return thick(name) if name.endswith("_thick") else thin(name)
