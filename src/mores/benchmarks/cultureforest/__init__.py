"""CultureForest (2026): questions that rest on three norms of a place each, from options to open answers."""
