"""Gates of the ladder: what would let a model climb a pack of norms without knowing the place that it asks of."""
