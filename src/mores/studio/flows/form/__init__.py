"""Forms: what people are asked of an item is declared in a file, with no code."""
