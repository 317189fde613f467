"""Questions in CultureForest's layout whose options keep to norms, or break them, in words that can be learnt."""

import json
from itertools import combinations
from pathlib import Path

from mores.benchmarks.cultureforest.data import NORMS_FILE
from mores.core.seeds import Seed
from mores.pipelines.questions.prompts import MATRIX
from mores.stats.rng import generator

PLACES = ("Germany", "Japan", "Nigeria")
CATEGORIES = ("Business Culture", "Communication", "Dates of Significance", "Etiquette", "Family", "Greetings",
              "Naming", "Religion")  # fmt: skip
CUSTOMS = (
    ("Meetings begin on time.", "comes on time", "comes an hour late"),
    ("Bad news is told in private.", "tells bad news in private", "tells bad news before all"),
    ("Graves are visited in autumn.", "visits the grave in autumn", "stays away from the grave"),
    ("Shoes come off at the door.", "takes off her shoes", "keeps her shoes on"),
    ("Grandparents eat first.", "serves the grandparents first", "serves the grandparents last"),
    ("People shake hands.", "shakes hands", "refuses every hand"),
    ("Bosses are called by their title.", "says the title of the boss", "calls the boss by a nickname"),
    ("Phones are silent in prayer.", "silences her phone", "lets her phone ring"),
    ("Contracts are read aloud.", "reads the contract aloud", "signs the contract unread"),
    ("Nobody interrupts a speaker.", "lets the speaker end", "interrupts the speaker"),
    ("Lanterns are lit at new year.", "lights a lantern", "puts the lanterns out"),
    ("Tea is held with two hands.", "holds the tea with two hands", "holds the tea with one hand"),
    ("Children live near their parents.", "moves near her parents", "moves far from her parents"),
    ("Guests bow at the gate.", "bows at the gate", "walks through the gate upright"),
    ("Babies are named after a week.", "waits a week with the name", "names the baby at once"),
    ("Temples are entered barefoot.", "enters the temple barefoot", "enters the temple in boots"),
    ("Prices are haggled over.", "haggles over the price", "pays the first price"),
    ("Elders speak before others.", "lets the elder speak first", "speaks before the elder"),
    ("Drums are played at harvest.", "plays the drum at harvest", "forbids drums at harvest"),
    ("Food is eaten with the right hand.", "eats with the right hand", "eats with the left hand"),
    ("Uncles choose the wedding day.", "asks the uncle for the day", "ignores the uncle about the day"),
    ("The young kneel to greet.", "kneels to greet", "greets standing with a nod"),
    ("Twins have set names.", "takes the set names for twins", "makes up names for the twins"),
    ("No market opens in prayer time.", "closes the stall for prayer", "sells through the prayer"),
)
"""A norm, what keeps to it and what breaks it; eight for each place, one a category."""


SCENES = (
    "waits for a train", "buys fish at the harbour", "repairs a roof", "leads a choir", "moves house", "sells a car",
    "visits a hospital", "opens a bakery", "loses her keys", "teaches chess", "films a wedding", "plants rice",
    "crosses a border", "paints a school", "joins a law firm", "rents a boat", "adopts a dog", "writes a column",
    "camps in the mountains", "queues at a bank",
)  # fmt: skip
"""Where questions play, none like another."""


def planted_forest(folder: Path, *, bundles: int = 10, customs: int = 5) -> Path:
    """A folder with so many questions a place, 20 at most, on three each of so many norms; options act on them."""
    folder.mkdir(parents=True)
    for number, place in enumerate(PLACES):
        (folder / place).mkdir()
        all_bundles = list(combinations(range(8 * number, 8 * number + customs), 3))
        drawn = generator(Seed("planted").child(place)).permutation(len(all_bundles))[:bundles]
        lines = [
            json.dumps(_question(all_bundles[int(at)], place, scene)) for at, scene in zip(drawn, SCENES, strict=False)
        ]
        (folder / place / "Etiquette.json").write_text("\n".join(lines) + "\n")
    norms = [
        {"norm_id": str(n), "norm": norm, "norm_negative": f"It is not so: {norm}", "acceptability": "No",
         "Country/Region": PLACES[n // 8], "Category": CATEGORIES[n % 8]}
        for n, (norm, _, _) in enumerate(CUSTOMS)
    ]  # fmt: skip
    (folder / NORMS_FILE).write_text(json.dumps(norms))
    return folder


def _question(bundle: tuple[int, ...], place: str, scene: str) -> dict[str, object]:
    name = "-".join(map(str, bundle))
    stem = f"In {place}, Mina {scene}. What does she do?"
    options = {letter: _option(bundle, stands, f"{name}{letter}") for letter, stands in MATRIX.items()}
    return {
        "uuid": f"q{name}",
        "Norm_Bundle": {"Norms": {f"Norm_{n}": {"norm_id": str(custom), "norm": CUSTOMS[custom][0]}
                                  for n, custom in enumerate(bundle, start=1)}},
        "Easy": {"Question_MCQ": f"{stem} A B C D", "Answer_Key_Shuffle": "D"},
        "Medium": {f"Question_Judge{n}": f"{stem}\n{text}" for n, text in enumerate(options.values(), start=1)},
        "Open": {"Question_Open": stem},
        "Open_End": f"In {place}, Mina {scene}.",
    }  # fmt: skip


def _option(bundle: tuple[int, ...], stands: tuple[str, ...], name: str) -> str:
    """What Mina does of each norm, in an order that does not tell which is which."""
    done = [CUSTOMS[custom][1 if stand == "satisfy" else 2] for custom, stand in zip(bundle, stands, strict=True)]
    order = generator(Seed("planted/order").child(name)).permutation(3)
    first, second, third = (done[int(at)] for at in order)
    return f"She {first}, {second} and {third}."
