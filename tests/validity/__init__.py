"""Planted truths, recovered: the statistical promises of the benchmarks' figures."""
