"""Benchmarks as tasks of Inspect, found by the entry point `mores`."""
