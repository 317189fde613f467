"""Packs of norms in another language: written by one model, read back by another, for speakers to check."""
