"""Labels with their reasons as a kind of play: how they are judged and scored, and thin against thick in a report."""

REASONS = "mores.benchmarks.shapes.reasons.analysis:REASONS_ANALYSIS"
"""The analysis of reasons, and on the bare labels beside them."""
