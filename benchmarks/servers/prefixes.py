"""How many of the tokens that are asked a server had read before, by its own counter."""

import re
import shutil
from typing import NamedTuple

from benchmarks.servers.plays import PLAYS, Play, mores
from benchmarks.servers.serving import WORK, Running

ASKED, FOUND = "vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total"
LEAST = {"dialogue": 0.5, "day": 0.8}
"""The share of a play's tokens that must be found."""
UNITS = 3


class Cached(NamedTuple):
    """Tokens of the prompts of one play, and how many of them the server had at hand."""

    play: str
    asked: int
    found: int

    @property
    def share(self) -> float:
        """Of all tokens asked, those that were found; 0 where none was asked."""
        return self.found / self.asked if self.asked else 0.0


def cached(found: Running) -> list[Cached]:
    """The counts of dialogues and days of other seeds than were asked before, so that no prompt comes again whole."""
    return [_of(found, play._replace(units=UNITS, options=("--seed", "7"))) for play in PLAYS if play.kind in LEAST]


def _of(found: Running, play: Play) -> Cached:
    before = _counted(found)
    folder = WORK / "runs" / "prefixes"
    shutil.rmtree(folder, ignore_errors=True)
    mores(found, play, folder)
    after = _counted(found)
    return Cached(play.kind, after[0] - before[0], after[1] - before[1])


def _counted(found: Running) -> tuple[int, int]:
    said = found.read("/metrics")
    asked, hit = (sum(map(float, re.findall(rf"^{name}{{.*}} (\S+)$", said, re.MULTILINE))) for name in (ASKED, FOUND))
    return int(asked), int(hit)
