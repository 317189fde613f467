"""Kinds of play that there are; families import shapes, never each other."""
