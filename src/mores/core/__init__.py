"""The nouns that every room speaks of, with their codec, errors and seeds; imports nothing of ours."""
