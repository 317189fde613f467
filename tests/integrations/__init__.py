"""Tests of what other programs load."""
