"""What a person sees of runs: tables, pages, machine-readable lines and comparisons."""
