"""Talks under pressure: what they show, how it falls with pressure, where, and the talks themselves to read."""

from mores.reports.social.section import Social, social

__all__ = ["Social", "social"]
