"""CURE: a situation judged by its place's or group's norms, thin (one word) and thick (a label and its reasons)."""

from mores.benchmarks.benchmark import Benchmark
from mores.benchmarks.cure.thick import thick
from mores.benchmarks.cure.thin import thin
from mores.core.prompt import Prompt, ReadPrompt


def benchmark(name: str, words: ReadPrompt = Prompt.read) -> Benchmark:
    """One of `normad`, `casa`, `culturebank` and `specnorm`, each `_thin` or `_thick`."""
    return thick(name, words) if name.endswith("_thick") else thin(name, words)
