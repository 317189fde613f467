"""Generators of arrays from named seeds."""

import numpy as np

from mores.core.seeds import Seed


def generator(seed: Seed) -> np.random.Generator:
    """A fresh numpy generator at the start of the seed's stream."""
    return np.random.Generator(np.random.PCG64(seed.entropy()))
