"""Licences of items: which permit that others' questions are published with results, and which keep them here."""

from mores.analysis.results import Result
from mores.data.sources import data_sources, source_of
from mores.norms.pack import load_pack

OPEN = frozenset({"Apache-2.0", "BSD-3-Clause", "CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "MIT"})
"""Licences that permit to pass on, for any use; in lower case the hub has them too. All other items stay here."""


def licence_of(result: Result) -> str:
    """Licence of a benchmark's items, by its card; empty where nobody here knows the benchmark."""
    return result.card.licence if result.card else ""


def why_kept(result: Result) -> str:
    """Reason to publish no words of a benchmark's items; empty where they may be published."""
    licence = licence_of(result)
    if licence not in OPEN:
        return f"the licence of its items is {licence or 'not known'}"
    source = source_of(result.benchmark)
    if source is not None and data_sources()[source].gated:
        return "its items are gated"
    data = result.provenance.data
    if any(name.startswith("pack ") for name in data) and load_pack().fingerprint not in data.values():
        return "its items are of another pack than that of mores, whose licence it is"
    return ""
