"""Release of a pack: its files with errata, datasheet, licence, citation and checksums, as one folder.

A pack ─▶ its figures, counted ─▶ the datasheet, in which no figure is written by hand ─▶ all files by name.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from mores.core.canary import CANARY_LINE
from mores.core.codec import encode_lines, read_text
from mores.norms.pack import FILE, Pack, PackHeader, PackNorm, read_header

HEADER = "pack.toml"
SHEET, ERRATA, LICENCE, CITATION, SUMS = "DATASHEET.md", "errata.jsonl", "LICENSE", "CITATION.cff", "SHA256SUMS"
ORIGINS = ("people", "resident", "scholar", "public", "press", "reference", "visitor", "commercial")
LICENCE_TEXT = f"""Creative Commons Attribution 4.0 International (CC BY 4.0)

Copyright 2026 The mores developers

You may copy, share and change this material, for any purpose, if you name "The mores developers", link to the licence,
say whether you changed anything, and name the version of the pack. There is no warranty.

Legal code, which is hereby incorporated by reference: https://creativecommons.org/licenses/by/4.0/legalcode
SPDX identifier: CC-BY-4.0

{CANARY_LINE}
"""


def datasheet(pack: Pack) -> str:
    """Datasheet of a pack, with its figures counted."""
    dates = sorted(source.looked_up for entry in pack.norms for source in entry.norm.sources)
    slots = {
        "id": pack.id,
        "version": pack.version,
        "figures": "\n".join(("| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in figures(pack)))),
        "errata": _errata(pack),
        "first": dates[0],
        "last": dates[-1],
        "asked": _asked(pack.norms),
    }
    text = read_text(Path(__file__).with_name("datasheet.md"))
    # In one pass: a value is never read as a slot.
    return re.sub(r"\{(\w+)\}", lambda found: slots[found[1]], text)


def figures(pack: Pack) -> Iterator[tuple[str, str]]:
    """Figures of a pack, each with its name."""
    entries, norms = pack.norms, [entry.norm for entry in pack.norms]
    places = Counter(norm.place for norm in norms)
    deep = sum(count >= 20 for count in places.values())
    yield "norms", f"{len(norms):,}"
    few, many = min(places.values()), max(places.values())
    yield "places", f"{len(places)}, with {few} to {many} norms each; {deep} have 20 or more"
    yield "regions", str(len({entry.region for entry in entries if entry.region}))
    yield "norms of a part of a place", _of(sum(bool(norm.subgroup) for norm in norms), len(norms))
    yield "norms that say for whom they do not hold", _of(sum(bool(norm.except_for) for norm in norms), len(norms))
    yield "contested norms", _of(sum(bool(norm.contested) for norm in norms), len(norms))
    yield "norms with another place whose norm differs", _of(sum(e.swapped is not None for e in entries), len(norms))
    know, judge = ([item for entry in entries for item in getattr(entry, rung)] for rung in ("know", "judge"))
    statements = sum(len(item.options) for item in know)
    yield "*know*", f"{len(know):,} questions, {statements:,} statements; {_boundary(know)}"
    yield "*judge*", f"{len(judge):,} scenes; {_boundary(judge)}"
    for rung in ("explain", "converse", "live"):
        yield f"*{rung}*", f"{sum(getattr(entry, rung) is not None for entry in entries):,}"
    yield "*apply*", f"{len(pack.bundles):,} bundles"
    sources = [source for norm in norms for source in norm.sources]
    yield "sources", f"{len(sources):,}; {_of(sum(s.verified for s in sources), len(sources))} were opened and say it"
    whose: Counter[str] = Counter(source.origin or "not said" for source in sources)
    known = (*ORIGINS, *sorted(set(whose) - set(ORIGINS)))
    yield "whose they are", ", ".join(f"{name} {whose[name]:,}" for name in known if whose[name])
    dissent = sum(any(source.dissent for source in norm.sources) for norm in norms)
    yield "norms whose sources record dissent", _of(dissent, len(norms))
    asked = sum(norm.agreement is not None for norm in norms)
    yield "norms that people of the place were asked about", _of(asked, len(norms))
    yield "errata", f"{len(pack.errata):,}"


def _boundary(items: Sequence[object]) -> str:
    at = sum(bool(getattr(item, "boundary", "")) for item in items)
    return f"{at:,} of them at a boundary"


def _of(count: int, whole: int) -> str:
    """A count and its share.

    >>> _of(3, 12)
    '3 (25 %)'
    """
    return f"{count:,} ({100 * count / max(1, whole):.0f} %)"


def _errata(pack: Pack) -> str:
    """Number of corrections since items were published, by version, in a sentence."""
    if not pack.errata:
        return "No correction is listed yet."
    by_version = Counter(each.version for each in pack.errata)
    counts = ", ".join(f"{count:,} with {version}" for version, count in sorted(by_version.items()))
    return f"Corrections of keys, labels and meanings since items were published are listed with reasons: {counts}."


def _asked(entries: Sequence[PackNorm]) -> str:
    shares = [entry.norm.agreement for entry in entries if entry.norm.agreement is not None]
    if not shares:
        return "Not yet: nobody who lives by these norms was asked or paid to check them."
    return f"About {len(shares):,} of {len(entries):,} norms; on average {100 * sum(shares) / len(shares):.0f} % agree."


def release_files(pack: Pack, home: Path) -> dict[str, bytes]:
    """All files of a release by their names, the checksums of the others last.

    Args:
        pack: The pack that is released.
        home: Folder that it was read from.
    """
    places = {path.name: path.read_bytes() for path in sorted(home.glob("*.toml")) if path.name != HEADER}
    # The documents of the project, to which the sheet leads, are not in the folder.
    sheet = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", datasheet(pack))
    own = home / HEADER
    files = {
        **{f"pack/{name}": content for name, content in places.items()},
        f"pack/{HEADER}": own.read_bytes() if own.is_file() else header_file(read_header(home)),
        **({f"pack/{FILE}": (home / FILE).read_bytes()} if (home / FILE).is_file() else {}),
        ERRATA: encode_lines(pack.errata),
        SHEET: sheet.encode(),
        LICENCE: LICENCE_TEXT.encode(),
        CITATION: _citation(pack).encode(),
    }
    return {**files, SUMS: _sums(files)}


def pack_file(table: Mapping[str, Any]) -> bytes:
    """A table of a pack as a file of its folder, which carries the canary."""
    return f"# {CANARY_LINE}\n{tomli_w.dumps(table)}".encode()


def header_file(header: PackHeader) -> bytes:
    """Header of a pack as the file of its folder."""
    return tomli_w.dumps(msgspec.to_builtins(header)).encode()


def _citation(pack: Pack) -> str:
    lines = (
        "cff-version: 1.2.0", "type: dataset", f'title: "{pack.name}"', f'version: "{pack.version}"',
        "license: CC-BY-4.0", "authors:", '  - name: "The mores developers"',
        'message: "Please cite the version of the pack that you used."',
        "identifiers:", "  - type: other", f'    value: "fingerprint {pack.fingerprint}"',
    )  # fmt: skip
    return "\n".join((*lines, ""))


def _sums(files: Mapping[str, bytes]) -> bytes:
    """Checksums, as `sha256sum -c` reads them."""
    lines = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    return "".join(lines).encode()
