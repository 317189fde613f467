"""A pack whose norms have words to mask their place by and, some of them, another place whose norm differs."""

from pathlib import Path

PLACES = {"JP": ("Japan", "Japanese"), "BR": ("Brazil", "Brazilian"), "DE": ("Germany", "German")}
_NORM = """
[[norm]]
id = "{id}-etiquette-{n}"
domain = "etiquette"
topic = "custom {n}"
statement = "In {name}, many people keep custom {n}."
negation = "In {name}, many people break custom {n}."
strictness = "sometimes"
{controls}
[norm.source]
title = "A page on {n}"
url = "https://example.org/{n}"
looked_up = "2026-11-23"
verified = true
found = "It says so of custom {n}."
[norm.know]
question = "What do many people in {name} do about custom {n}?"
options = [
  {{ text = "They keep it in the {adjective} way.", true = true }},
  {{ text = "They keep it on Mondays.", true = false }},
  {{ text = "They break it.", true = false }},
  {{ text = "They ask Kenta to keep it.", true = true }},
]
[norm.judge]
story = "Kenta lives in a {adjective} town and keeps custom {n}."
question = "Is that acceptable there?"
label = "{label}"
why = "It is custom {n}."
"""


def write_pack(folder: Path, norms: int = 20, *, masked: bool = True, swapped: bool = True) -> Path:
    """A folder with so many norms of each place; every second one differs in France."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pack.toml").write_text('id = "masks"\nname = "Masks"\nversion = "1"\n')
    for place, (name, adjective) in PLACES.items():
        text = f'place = "{place}"\n'
        for n in range(norms):
            controls = f'masked = {{ "{name}" = "the country", "{adjective}" = "local", "Kenta" = "Sam" }}\n'
            if swapped and n % 2:
                controls += (
                    '[norm.swapped]\nplace = "FR"\nknow = ["b|c"]\njudge = ["no"]\n[norm.swapped.source]\n'
                    'title = "A page"\nurl = "https://example.org/fr"\nlooked_up = "2026-11-23"\nverified = true\n'
                    'found = "It says so."\n'
                )
            label = ("yes", "no", "neutral")[n % 3]
            text += _NORM.format(
                id=place, n=n, name=name, adjective=adjective, label=label, controls=controls if masked else ""
            )
        (folder / f"{place}.toml").write_text(text)
    return folder
