"""Norms of the town, mapped to kinds of place by a model."""
