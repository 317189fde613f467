"""Packs of norms made of norms: items of all rungs, written by one model and checked by another."""
