"""CURE (2025): thin judgements of situations, over four data sets."""
