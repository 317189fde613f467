"""Reports of runs: tables, pages, machine-readable lines and comparisons."""
