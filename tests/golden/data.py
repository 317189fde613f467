"""Small data of our own in the released layouts, made by code: enough of each to reach every figure."""

import csv
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.benchmarks.plays import TINY
from tests.benchmarks.thick import PLACES, casa, normad, write_table
from tests.conftest import write_cultural

SUBGROUPS = ("religion", "ethnicity", "age", "gender", "marital_status", "occupation")
DOMAINS = ("Business Culture", "Family", "Greetings")


def write_data(folder: Path) -> None:
    """One folder a family, named as commands name them."""
    folder.mkdir()
    for family in ("cultural", "cure", "forest", "socialcc"):
        (folder / family).mkdir()
    write_cultural(folder / "cultural", 24)
    _cure(folder / "cure")
    write_forest(folder / "forest")
    _socialcc(folder / "socialcc", 24)
    shutil.copytree(TINY / "liveculture", folder / "town")
    shutil.copytree(TINY / "ladder", folder / "pack")
    _recorded(folder / "said.jsonl")


def _cure(folder: Path) -> None:
    rules = {"Explanation": lambda n: f"Guests of kind {n} are welcomed before all others there."}
    normad(folder / "normad.csv", 24, **rules)
    casa(folder / "casa.csv", 16)
    _specnorm(folder / "specnorm.csv", 16)
    _culturebank(folder / "culbank.csv", 16)


def _specnorm(path: Path, count: int) -> None:
    rows: list[dict[str, object]] = []
    for n in range(count):
        known = dict.fromkeys(SUBGROUPS, "") | {SUBGROUPS[n % 6]: ("34", "a nurse")[n % 2]}
        rows.append({
            "country": PLACES[n % len(PLACES)], **known, "persona": f"A person of kind {n}.",
            "situation": f"She brings gift {n}.", "question": "Would people around her find it fine?",
            "label": ("yes", "no")[n // 2 % 2], "statement": f"Gift {n} is for elders.",
            "generic_norm": "Gifts are fine.",
        })  # fmt: skip
    write_table(path, rows)


def _culturebank(path: Path, count: int) -> None:
    with (TINY / "cure" / "culbank.csv").open(encoding="utf-8", newline="") as lines:
        first = list(csv.DictReader(lines))
    rows = [
        {**first[n % len(first)], "cultural group": ("Japanese", "Germans", "Nigerian", "Brazilian")[n % 4],
         "actor_behavior": f"bring gift {n}", "behavioral_description": f"Guests bring gift {n}.",
         "normative": (1.0, 0.2, 0.9, 0.0)[n // 4 % 4]}
        for n in range(count)
    ]  # fmt: skip
    write_table(path, rows)


def write_forest(folder: Path, places: Sequence[str] = PLACES) -> None:
    """Two bundles of three norms for each of three domains of each place, two questions a bundle."""
    norms: dict[str, dict[str, str]] = {}
    for place in places:
        (folder / place).mkdir()
        for domain in DOMAINS:
            lines = [_question(norms, place, domain, number) for number in range(4)]
            path = folder / place / f"{domain}.json"
            path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    (folder / "norms_both_acc.json").write_text(json.dumps(norms), encoding="utf-8")


def _question(norms: dict[str, dict[str, str]], place: str, domain: str, number: int) -> dict[str, object]:
    """One line of the released layout; every second question asks about the bundle of the one before."""
    told = {}
    for nth in range(3):
        name = f"{place}-{domain}-{number // 2}-{nth}".replace(" ", "").lower()
        words = f"In {place}, many people keep custom {name}."
        norms[name] = {
            "norm_id": name, "norm": words, "Country/Region": place, "Category": domain,
            "norm_negative": words.replace("keep", "shun"),
            "acceptability": ("Sometimes", "No")[(number // 2 + nth) % 2],
        }  # fmt: skip
        told[f"Norm_{nth + 1}"] = {"norm_id": name, "norm": words}
    return _line(f"{place}-{domain}-{number}".replace(" ", "").lower(), told, "ABCD"[number % 4])


def _line(name: str, norms: Mapping[str, object], answer: str) -> dict[str, object]:
    asked = f"A guest comes to a feast, {name}. What is best?"
    options = [f"{letter}. Do thing {letter} of {name}." for letter in "ABCD"]
    judged = {f"Question_Judge{n + 1}": f"{asked}\nOne answer: {o[3:]}\nTrue or False" for n, o in enumerate(options)}
    return {
        "uuid": name, "Norm_Bundle": {"Norms": norms},
        "Easy": {"Question_MCQ": "\n".join([asked, *options]), "Answer_Key_Shuffle": answer},
        "Medium": judged, "Open": {"Question_Open": asked}, "Open_End": asked,
    }  # fmt: skip


def _socialcc(folder: Path, scenes: int) -> None:
    with (TINY / "socialcc" / "socialcc.csv").open(encoding="utf-8", newline="") as lines:
        rows: Sequence[dict[str, str]] = list(csv.DictReader(lines))
    made = []
    for number in range(scenes):
        row = rows[number % len(rows)]
        made.append({**row, "Data_ID": str(number), "Scenario": f"{row['Scenario']} (Scene {number}.)"})
    write_table(folder / "socialcc.csv", made)


def _recorded(path: Path) -> None:
    """Replies to 24 easy questions: right ones, wrong ones, no letter, nothing at all, and two that are missing."""
    said = {3: "It depends.", 7: "", 12: "I cannot say"}
    lines = [
        json.dumps({"item": f"easy-{n}", "reply": said.get(n, "ABCD"[(n if n % 5 else n + 1) % 4])})
        for n in range(22)
    ]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True)
    write_forest(Path(sys.argv[1]), sys.argv[2:])
