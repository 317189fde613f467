"""Data sets of others: where they are published, how they are fetched, and what was fetched of them."""
