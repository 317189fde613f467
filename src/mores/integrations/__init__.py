"""Benchmarks inside other programs: each file or folder is what one of them loads, and imports that program."""
