"""How many annotators a studio serves at once."""
