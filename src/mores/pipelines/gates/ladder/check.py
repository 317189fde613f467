"""All gates of the ladder over one pack of norms."""

from collections.abc import Sequence

from mores.core.seeds import Seed
from mores.norms.pack import Pack
from mores.pipelines.gates.gate import Gate
from mores.pipelines.gates.items import Item
from mores.pipelines.gates.ladder.answers import answer_gates
from mores.pipelines.gates.ladder.courtesy import courtesy_gates
from mores.pipelines.gates.ladder.days import consistent_days
from mores.pipelines.gates.ladder.labels import label_gates
from mores.pipelines.gates.ladder.masks import masked_texts
from mores.pipelines.gates.ladder.spread import spread_gates


def check_pack(pack: Pack, items: Sequence[Item], seed: Seed) -> tuple[Gate, ...]:
    """All gates of the ladder over a pack; one that asks for what the pack does not have says so and has not passed.

    Args:
        pack: The norms.
        items: Their items on all rungs, as `items_of` gives them.
        seed: Dice of folds and deals.
    """
    return (
        *label_gates(pack, items, seed.child("labels")),
        *answer_gates(pack),
        *courtesy_gates(pack),
        consistent_days(pack),
        masked_texts(pack),
        *spread_gates(pack),
    )
