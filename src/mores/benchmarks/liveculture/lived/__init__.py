"""Days in town: goal against adherence with its front, and adherence by who, where, with whom and under what."""

from mores.benchmarks.liveculture.lived.analysis import TOWN_ANALYSIS, result_of
from mores.benchmarks.liveculture.lived.days import Town, town

__all__ = ["TOWN_ANALYSIS", "Town", "result_of", "town"]
