"""Runs as others want them: figures and a table for a paper, and the formats of neighbours, whose tools read them."""
