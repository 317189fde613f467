"""How open answers keep to norms: scores, where answers go by strictness, and what the weights of the score decide."""
