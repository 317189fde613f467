"""Benchmarks: a catalogue of them, the shapes of play that they share, and a folder for each family."""
