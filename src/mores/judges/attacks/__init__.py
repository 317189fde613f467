"""How often a subject can talk its judge into a grade."""
