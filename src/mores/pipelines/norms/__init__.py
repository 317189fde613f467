"""Norm bases: norms from many sources, each once, with how strict they are, a negation, and bundles of unlike norms."""
