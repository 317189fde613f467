"""Building data sets in stages: each stage gives what it keeps, what it drops with the reason, and a datasheet."""
