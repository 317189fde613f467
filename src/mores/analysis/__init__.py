"""Analyses of scores: estimates, contrasts, ranks. Values only; words come at the end, in tables and their views."""
