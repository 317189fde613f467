"""Days in town: goal against adherence with its front, and adherence by who, where, with whom and under what."""

from mores.benchmarks.liveculture.results.analysis import TOWN_ANALYSIS, result_of
from mores.benchmarks.liveculture.results.town import TownResults, town

__all__ = ["TOWN_ANALYSIS", "TownResults", "result_of", "town"]
