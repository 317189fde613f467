"""Sections of reports that are no analysis: front, summary, places, provenance."""
