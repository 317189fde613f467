"""Making benchmarks by the papers' pipelines: each gives what it kept, what it dropped and why, and a datasheet."""
