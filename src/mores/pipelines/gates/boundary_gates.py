"""Gates on items at the boundary of a norm: most norms have one, their labels are balanced, and wording tells none."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from mores.core.seeds import Seed
from mores.norms.pack import Pack
from mores.pipelines.gates.gate import Gate, GateItem, item_of, share_gate
from mores.pipelines.gates.pack_items import elsewhere_gate, know_items
from mores.pipelines.gates.pack_labels import LEVEL, MIN_CASES, labelled_auc, words_of_options
from mores.pipelines.gates.shortcut_baselines import learning_baseline

MOST_NORMS, LEAST, MOST = 0.8, 0.4, 0.6
"""Smallest share of norms with such an item; least and largest share of true statements and of scenes labelled yes."""
NONE = "not applicable: no item is at a boundary"


def boundary_gates(pack: Pack, items: Sequence[GateItem], seed: Seed) -> Iterator[Gate]:
    """Gates on the items of a pack that are at the boundary of their norm."""
    at = [item for item in items if item.boundary]
    has = {item.norm for item in at}
    norms = [(item_of(entry), entry.norm.id in has) for entry in pack.norms] if at else []
    says = "a norm has a question or a scene at its boundary"
    yield share_gate("norms with a boundary item", says, norms, least=MOST_NORMS, none=NONE)
    questions, scenes = [item for item in at if item.options], [item for item in at if item.label]
    true = [(item, number in item.right) for item in questions for number in range(len(item.options))]
    yield _balanced("boundary statements, true", "a statement at a boundary is true", true)
    yield _elsewhere(pack)
    yield _balanced("boundary scenes, yes", "a scene at a boundary has the label yes",
                    [(item, item.label == "yes") for item in scenes])  # fmt: skip
    yield _options(questions, seed.child("options"))
    says = "how often a baseline on wording, tested on norms it has not seen, ranks a scene with yes above others (AUC)"
    by_wording = Gate(name="boundary scenes by wording", says=says)
    yield labelled_auc(by_wording, scenes, "yes", "norm", seed.child("scenes"))


def _elsewhere(pack: Pack) -> Gate:
    """Gate on false statements: each holds in some other place, or common sense would tell it."""
    says = "all false statements at a boundary are true in another place"
    asked = [entry for entry in know_items(pack) if entry[1].boundary]
    holds = [(item, all(option.elsewhere or option.true for option in known.options)) for item, known in asked]
    return elsewhere_gate("boundary statements, true elsewhere", says, holds, none=NONE)


def _balanced(name: str, says: str, found: Sequence[tuple[GateItem, bool]]) -> Gate:
    """Gate on a label that most items have, or few."""
    if 0 < len(found) < MIN_CASES:
        return Gate(name=name, says=says, n=len(found), why=f"not applicable: fewer than {MIN_CASES}")
    return share_gate(name, says, found, least=LEAST, most=MOST, none=NONE)


def _options(questions: Sequence[GateItem], seed: Seed) -> Gate:
    """Gate on questions that a baseline on the wording of options answers, on norms that it has not seen."""
    name = "boundary options alone"
    says = "learns from the wording of options at boundaries and is tested on norms it has not seen"
    asked = [item for item in questions if 0 < len(item.right) < len(item.options)]
    if len(asked) < MIN_CASES:
        return Gate(name=name, says=says, n=len(asked), why=f"not applicable: fewer than {MIN_CASES} questions")
    found = replace(learning_baseline("norm", asked, lambda item: item.norm, seed), name=name, says=says)
    if found.p is None or found.value is None or found.chance is None:
        return found
    passed = found.p >= LEVEL or found.value <= found.chance
    words = {} if passed else words_of_options(asked)
    return replace(found, threshold={"p_below": LEVEL}, passed=passed, items=() if passed else found.items, words=words)
