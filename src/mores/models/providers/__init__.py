"""Our providers, a file for those that are alike: `PROVIDERS` of each is found by its file."""
