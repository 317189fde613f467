"""A day in town as one page that needs nothing else: the map, the clock, what was done and said, and each verdict."""

from mores.reports.replay.days import Played, Replay
from mores.reports.replay.reading import read_replay
from mores.reports.replay.write import render, write_replay

__all__ = ["Played", "Replay", "read_replay", "render", "write_replay"]
