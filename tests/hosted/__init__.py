"""Tests of benchmarks in other programs."""
