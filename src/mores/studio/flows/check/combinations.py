"""Wrong answers of a question of which several statements hold: those that people chose, else three by its hash.

They are near misses where a model proposed them and people edited them; a decision stores what people left.
"""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import combinations

from mores.studio.models import Decision, Project

LETTERS = ("a", "b", "c", "d")
KIND = "combinations"
"""Kind of the decision that holds the wrong answers."""
WRONG = 3
Combination = tuple[str, ...]
Wrong = tuple[Combination, ...]


def gold_of(outcome: Mapping[str, object] | None) -> Combination:
    """Letters of what holds, by the outcome of an item."""
    gold = (outcome or {}).get("gold")
    return tuple(map(str, gold)) if isinstance(gold, list) else ()


def chosen_wrong(project: Project) -> dict[str, Wrong]:
    """The choices of people, by the key of the question; the newest choice holds."""
    chosen = Decision.objects.filter(item__project=project, kind=KIND).order_by("pk")
    return {key: tuple(map(tuple, verdict["wrong"])) for key, verdict in chosen.values_list("item__key", "verdict")}


def wrong_of(gold: Combination, sha256: str, chosen: Wrong) -> Wrong:
    """The wrong answers: as chosen, unless what holds has changed since and is one of them."""
    if chosen and gold not in chosen:
        return chosen
    every = [several for size in range(1, 5) for several in combinations(LETTERS, size)]
    others = sorted((several for several in every if several != gold), key=lambda several: drawn(sha256, several))
    return tuple(others[:WRONG])


def drawn(sha256: str, about: Sequence[str]) -> str:
    """Place in an order that follows from an item's hash."""
    return hashlib.sha256(" ".join((sha256, *about)).encode()).hexdigest()
