"""All gates over some questions: what each found, whether it lets them pass, and which items carry what it found."""

from collections.abc import Sequence
from pathlib import Path

from mores.core.seeds import Seed
from mores.norms.pack import Pack
from mores.pipelines.duplicates import NamedText
from mores.pipelines.gates.boundary_gates import boundary_gates
from mores.pipelines.gates.data_checks import PublicTexts, contained, near_public, repeated, skews
from mores.pipelines.gates.gate import Gate, GateInput, GateItem
from mores.pipelines.gates.layouts import items_of
from mores.pipelines.gates.pack_cues import cue_gates
from mores.pipelines.gates.pack_items import answer_gates, consistent_days, courtesy_gates, spread_gates
from mores.pipelines.gates.pack_labels import label_gates
from mores.pipelines.gates.prompt_gates import prompt_gates
from mores.pipelines.gates.sent_prompts import sent_prompts
from mores.pipelines.gates.shortcut_baselines import baseline_gates, inverse_similarity


def check_items(items: Sequence[GateItem], public: PublicTexts, seed: Seed) -> tuple[Gate, ...]:
    """All gates over some questions.

    Args:
        items: The questions.
        public: Texts of public benchmarks that none may repeat, and how near is too near.
        seed: Seed of folds, permutations and samples.
    """
    ordinary = [item for item in items if not item.boundary]
    chosen = [item for item in ordinary if item.options and 0 < len(item.right) < len(item.options)]
    return (
        *baseline_gates(chosen, seed),
        contained(items),
        repeated(items, public),
        near_public(items, public),
        *skews(ordinary, seed),
    )


def check(checked: GateInput, public: PublicTexts, seed: Seed) -> tuple[Gate, ...]:
    """All gates over a data set, and those of the ladder over a pack."""
    gates, pack = check_items(checked.items, public, seed), checked.pack
    if pack is not None:
        gates = (*gates, *check_pack(pack, checked.items, seed.child("ladder")))
    # A matrix over all options is large, and only these gates share it.
    inverse_similarity.cache_clear()
    return gates


def check_release(data: Path, public: Sequence[NamedText], seed: Seed) -> tuple[Gate, ...]:
    """All gates over what a build released, as `mores build check` finds them with the same seed and tables."""
    return check(items_of(str(data)), PublicTexts(texts=tuple(public)), seed)


def check_pack(pack: Pack, items: Sequence[GateItem], seed: Seed) -> tuple[Gate, ...]:
    """All gates of the ladder over a pack; one that asks for what the pack does not have says so and has not passed.

    Args:
        pack: The norms.
        items: Their items on all rungs, as `items_of` gives them.
        seed: Seed of folds and permutations.
    """
    return (
        *label_gates(pack, items, seed.child("labels")),
        *cue_gates(pack, seed.child("cues")),
        *boundary_gates(pack, items, seed.child("boundary")),
        *answer_gates(pack),
        *courtesy_gates(pack),
        consistent_days(pack),
        *prompt_gates(pack, sent_prompts(pack)),
        *spread_gates(pack),
    )
