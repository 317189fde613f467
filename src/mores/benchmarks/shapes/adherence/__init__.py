"""Open answers held against norms: scores, answers by strictness, and the effect of the score's weights."""
