"""The norm ladder: each model on the same norms, rung by rung, and where it breaks."""

from mores.reports.ladder.section import Ladders, ladder

__all__ = ["Ladders", "ladder"]
