"""CultureForest's analyses: what models can still do as help is taken away, where, and whether knowing is using."""

from mores.reports.forest.section import Forest, forest

__all__ = ["Forest", "forest"]
