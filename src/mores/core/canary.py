"""Canary: a line in all items that mores publishes, so that whoever gathers texts to train on can leave them out.

A model that can write its second half has read some text that carries it.
"""

CANARY = "57ccf767-931e-415f-b5d3-5acaa79ff4af"
"""GUID that nothing but items of mores carries; it never changes."""
CANARY_LINE = f"mores benchmark data: keep out of training corpora. mores canary GUID {CANARY}"
