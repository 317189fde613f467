"""Norms: people of a place answer a norm's questions, and then say whether the norm holds there."""
