"""Days in town: goal against adherence with its front, and adherence by who, where, with whom and under what."""

from mores.reports.town.section import Town, town

__all__ = ["Town", "town"]
