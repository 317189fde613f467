"""What the bundled pack holds, for tests that run it whole."""

from mores.norms.pack import load_pack

PACK = load_pack()
NORMS = len(PACK.norms)
PLACES = len({entry.norm.place for entry in PACK.norms})
SOME = ("JP", "NG", "BR", "IN", "DE", "ID")
"""Places enough for what hangs on no whole pack: few runs need all of it, and it takes them six times as long."""
CONTESTED = {entry.norm.id for entry in PACK.norms if entry.norm.contested}
COUNTED = NORMS - len(CONTESTED)
"""Norms that figures count: those that are contested stand apart."""
LIVED = [norm.id for bundle in PACK.bundles for norm in bundle.norm if norm.id not in CONTESTED]
"""Those of them that a bundle holds."""
COUNTED_OF_SOME = sum(entry.norm.place in SOME and not entry.norm.contested for entry in PACK.norms)
"""Norms of these places that figures count."""
