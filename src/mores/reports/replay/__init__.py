"""A day in town as one page that needs nothing else: the map, the clock, what was done and said, and each verdict."""

from mores.reports.replay.days import Played, Replay, Scene
from mores.reports.replay.write import render, write_replay

__all__ = ["Played", "Replay", "Scene", "render", "write_replay"]
