"""Regimes of help and of knowledge: what is left as help is taken away, and whether norms known are norms used."""

from mores.benchmarks.cultureforest.regimes.analysis import FOREST_ANALYSIS, CultureForest, cultureforest, result_of

__all__ = ["FOREST_ANALYSIS", "CultureForest", "cultureforest", "result_of"]
