"""The norm base: places and their groupings, group labels, and packs of norms with their sources."""
