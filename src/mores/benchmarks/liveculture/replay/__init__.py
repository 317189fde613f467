"""A day in town as one page that needs nothing else: the map, the clock, what was done and said, and each verdict."""

from mores.benchmarks.liveculture.replay.days import PlayedDay, Replay
from mores.benchmarks.liveculture.replay.page import render, write_replay
from mores.benchmarks.liveculture.replay.reading import replay_of

__all__ = ["PlayedDay", "Replay", "render", "replay_of", "write_replay"]
