"""Tests that prove the benchmarks, and break them."""
