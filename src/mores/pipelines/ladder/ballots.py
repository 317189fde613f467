"""Ballots: what people of a place are asked of its norms, as a project of the studio.

norms of a place ─▶ a row each for its statement, its negation and all that is said about its boundary, in an order that
tells nothing ─▶ `design.toml` and `items.csv` for the studio, `key.csv` for whoever counts ─▶ answers by norm.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from mores.core.codec import digest, read_text
from mores.core.errors import InputError
from mores.core.table import sheet_for_people
from mores.norms.pack import NormSurvey, Pack, PackNorm, parallel
from mores.norms.places import place
from mores.pipelines.form_answers import read_form_answers

DESIGN, ITEMS, KEY = "design.toml", "items.csv", "key.csv"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
STATEMENT = "statement"
"""Ending of the name of a row that has the norm itself."""
HOLDS = {
    "Yes, it is so": "agree", "It depends, or for some people only": "depends", "No, it is not so": "disagree",
    "I don't know": "dont_know",
}  # fmt: skip
"""Answers to whether it is so, as the form has them, and what of a norm's survey each is."""


class Ballot(Struct, frozen=True, kw_only=True):
    """One thing that people are asked about: what was asked, what somebody says to it, and whether that is right."""

    id: str
    norm: str
    kind: str
    asked: str
    claim: str
    group: str
    right: bool


def ballots_of(pack: Pack, place_id: str) -> tuple[Ballot, ...]:
    """The ballots on all norms of a place, in an order that does not tell what belongs together.

    Raises:
        InputError: the pack has no norms of the place.
    """
    found = [each for entry in pack.norms if entry.norm.place == place_id for each in _of_norm(entry)]
    if not found:
        raise InputError(f"{place_id}: pack {pack.id} has no norms of {place(place_id).name}.")
    return tuple(sorted(found, key=lambda each: digest(["ballots", each.id])))


def _of_norm(entry: PackNorm) -> Iterator[Ballot]:
    norm = entry.norm

    def ballot(name: str, kind: str, claim: str, *, asked: str = "", right: bool) -> Ballot:
        group = norm.subgroup or ""
        return Ballot(id=name, norm=norm.id, kind=kind, asked=asked, claim=claim, group=group, right=right)

    yield ballot(f"{norm.id} {STATEMENT}", STATEMENT, norm.statement, right=True)
    yield ballot(f"{norm.id} negation", "negation", norm.negation, right=False)
    for unit, known in parallel("know", norm.id, entry.know):
        for letter, option in zip(LETTERS, known.options, strict=False) if known.boundary else ():
            yield ballot(f"{unit} {letter}", "boundary", option.text, asked=known.question, right=option.true)
    for unit, scene in parallel("judge", norm.id, entry.judge):
        if scene.boundary:
            # The same sentence in each such scene: that it was fine, which the label says or denies.
            claim = "Yes: people there would find nothing wrong with it."
            asked = f"{scene.story} {scene.question}"
            yield ballot(unit, "boundary", claim, asked=asked, right=scene.label != "no")


def project_files(pack: Pack, place_id: str) -> dict[str, bytes]:
    """The design of a studio's project for a place, its items, and the key, which goes to nobody who answers."""
    ballots, name = ballots_of(pack, place_id), place(place_id).name
    words = {"{place}": name, "{code}": place_id, "{items}": str(len(ballots))}
    design = read_text(Path(__file__).parent / "ballots.toml")
    for slot, text in words.items():
        design = design.replace(slot, text)
    items = [(each.id, place_id, each.asked, each.claim, each.group) for each in ballots]
    key = [(each.id, each.norm, each.kind, "true" if each.right else "false") for each in ballots]
    return {
        DESIGN: design.encode(),
        ITEMS: sheet_for_people(("id", "place", "asked", "claim", "group"), items),
        KEY: sheet_for_people(("id", "norm", "kind", "right"), key),
    }


def surveys_of(path: Path) -> dict[str, NormSurvey]:
    """Answers of people about norms themselves, by norm, from `answers.csv` of a project of ballots.

    Raises:
        InputError: the file cannot be read, is no such export, or has an answer that the form does not offer.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for answer in read_form_answers(path, "a project of ballots"):
        norm, _, kind = answer.item.rpartition(" ")
        if kind == STATEMENT and answer.question == "holds":
            if answer.answer not in HOLDS:
                raise InputError(f"{answer.where}: answer is '{answer.answer}'; expected {', '.join(HOLDS)}.")
            counts[norm][HOLDS[answer.answer]] += 1
    if not counts:
        raise InputError(
            f"{path}: no answers about a norm itself; expected ids such as JP-naming-honorifics statement."
        )
    return {norm: _survey(norm, count) for norm, count in counts.items()}


def _survey(norm: str, count: Mapping[str, int]) -> NormSurvey:
    return NormSurvey(norm=norm, asked=sum(count.values()), **{word: count[word] for word in HOLDS.values()})


def describe_ballots(ballots: Sequence[Ballot]) -> str:
    """Number of ballots by kind, in words."""
    kinds = Counter(each.kind for each in ballots)
    norms = len({each.norm for each in ballots})
    return (
        f"{len(ballots):,} items on {norms:,} norms ({', '.join(f'{n:,} {kind}' for kind, n in kinds.most_common())})"
    )
